import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Client, clientOf } from '#test/support/client.ts';
import { type ServerProcess, startProcess } from '#test/support/process.ts';
import { temporaryDataDir } from '#test/support/server.ts';

/** Acknowledged writes and their consequences survive a killed process. */

let dataDir: string;
let server: ServerProcess;
let client: Client;

const start = async (): Promise<void> => {
  server = startProcess(dataDir);
  client = clientOf(await server.url());
};

const kill = async (): Promise<void> => {
  const engine = path.join(dataDir, 'engine.json');
  // The engine is killed as well, as after a power failure.
  if (existsSync(engine)) process.kill((JSON.parse(readFileSync(engine, 'utf8')) as { pid: number }).pid, 'SIGKILL');
  client.close();
  await server.end('SIGKILL');
};

beforeEach(() => {
  dataDir = temporaryDataDir();
});

afterEach(async () => {
  client.close();
  await server.end('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

it('keeps every acknowledged submission with its events and mails', async () => {
  const acknowledged = new Map<string, string>();
  let count = 0;
  for (let round = 0; round < 3; round += 1) {
    await start();
    const token = await client.token({ email: 'submitter@example.com', name: 'Submitter' });
    let killed = false;
    const submit = async (): Promise<void> => {
      while (!killed) {
        count += 1;
        const name = `Project ${count}`;
        const body = {
          plan: 'standard',
          name,
          url: `https://project-${count}.example.com`,
          description: 'Submitted before a crash.',
          categories: ['media'],
          pricing_type: 'free',
        };
        try {
          const response = await client.call('POST', '/api/projects', { token, body });
          if (response.status !== 201) throw new Error(`Status ${response.status}. ${server.output()}`);
          acknowledged.set((response.body as { data: { id: string } }).data.id, name);
        } catch (error) {
          // The connection broke with the process: nothing was acknowledged.
          if (!killed) throw error;
        }
      }
    };
    const submitting = Promise.all([submit(), submit(), submit()]);
    // Kills the process during requests, at a different moment in each round.
    const enough = acknowledged.size + 7;
    await Promise.race([submitting, client.until(async () => acknowledged.size >= enough, 20_000)]);
    await wait(round * 7);
    killed = true;
    await kill();
    await submitting;
  }
  await start();
  const admin = await client.token({ email: 'root@example.com', admin: true });
  for (const [id, name] of acknowledged) {
    const response = await client.call('GET', `/api/projects/${id}`, { token: admin });
    expect([response.status, (response.body as { data: { name: string } }).data.name]).toEqual([200, name]);
  }
  const names = [...acknowledged.values()];
  await client.until(async () => {
    const submitted = new Set((await client.events()).map(({ data }) => (data as { project_id: string }).project_id));
    return [...acknowledged.keys()].every((id) => submitted.has(id));
  });
  await client.until(async () => {
    const texts = (await client.mails()).map(({ subject, text }) => `${subject} ${text}`);
    return names.every((name) => texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)));
  }, 10_000);
}, 60_000);
