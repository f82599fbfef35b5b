import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Client, clientOf } from '#test/support/client.ts';
import { startProcess, type WorldProcess } from '#test/support/process.ts';
import { temporaryDataDir } from '#test/support/world.ts';

/** What was acknowledged stays, with everything that follows from it, however the process ends. */

let dataDir: string;
let world: WorldProcess;
let client: Client;

const start = async (): Promise<void> => {
  world = startProcess(dataDir);
  client = clientOf(await world.url());
};

const kill = async (): Promise<void> => {
  const engine = path.join(dataDir, 'engine.json');
  // Its engine too, at the same moment, as when the machine's memory is full or its power fails.
  if (existsSync(engine)) process.kill((JSON.parse(readFileSync(engine, 'utf8')) as { pid: number }).pid, 'SIGKILL');
  client.close();
  await world.end('SIGKILL');
};

beforeEach(() => {
  dataDir = temporaryDataDir();
});

afterEach(async () => {
  client.close();
  await world.end('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

it('loses no acknowledged submission, none of its events and none of its mails', async () => {
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
          description: 'Submitted while the ground shakes.',
          categories: ['media'],
          pricing_type: 'free',
        };
        try {
          const answer = await client.call('POST', '/api/projects', { token, body });
          if (answer.status !== 201) throw new Error(`It answered ${answer.status}. ${world.output()}`);
          acknowledged.set((answer.body as { data: { id: string } }).data.id, name);
        } catch (error) {
          // The connection broke with the process: nothing was acknowledged.
          if (!killed) throw error;
        }
      }
    };
    const submitting = Promise.all([submit(), submit(), submit()]);
    // In the middle of others, at another moment each time.
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
    const answer = await client.call('GET', `/api/projects/${id}`, { token: admin });
    expect([answer.status, (answer.body as { data: { name: string } }).data.name]).toEqual([200, name]);
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
