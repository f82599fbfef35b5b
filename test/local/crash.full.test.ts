import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';

/** After a crash, everything acknowledged is stored and nothing is partial. */

interface Service {
  readonly url: string;
  readonly child: ChildProcess;
}

const services: Service[] = [];
const folders: string[] = [];

const start = async (dataDir: string): Promise<Service> => {
  // A separate process group, so that the whole tree can be killed together.
  const child = spawn(process.execPath, ['local/main.ts'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PORT: '0',
      DATA_DIR: dataDir,
      RATE_LIMIT_SUBMISSION: '100000/60',
      RATE_LIMIT_GENERAL: '100000/60',
    },
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  for (;;) {
    const url = /at (http:\/\/localhost:\d+)/.exec(output)?.[1];
    if (url) {
      const service = { url, child };
      services.push(service);
      return service;
    }
    if (child.exitCode !== null) throw new Error(`The service did not start: ${output}`);
    await wait(20);
  }
};

const killTree = async ({ child }: Service): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, 'SIGKILL');
  await once(child, 'exit');
};

afterEach(async () => {
  for (const service of services.splice(0)) await killTree(service);
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

const post = async (url: string, body: unknown, token?: string) =>
  await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });

const tokenOf = async ({ url }: Service): Promise<string> => {
  const response = await post(`${url}/_local/token`, { email: 'root@example.com', admin: true });
  return ((await response.json()) as { access_token: string }).access_token;
};

const SUBMISSIONS = 1000;
const CONCURRENCY = 20;
const KILLED_AFTER = 400;

it('keeps every acknowledged submission with its event and slug when all processes are killed', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'crash-'));
  folders.push(dataDir);
  const first = await start(dataDir);
  const token = await tokenOf(first);

  const acknowledged = new Map<string, string>();
  let next = 0;
  const submit = async (): Promise<void> => {
    while (next < SUBMISSIONS) {
      const number = next++;
      try {
        const response = await post(
          `${first.url}/api/projects`,
          {
            plan: 'standard',
            name: `Crash ${number}`,
            url: `https://crash-${number}.example.com`,
            description: 'Submitted during the crash.',
            categories: ['design'],
            pricing_type: 'free',
          },
          token,
        );
        if (response.status !== 201) continue;
        const { data } = (await response.json()) as { data: { id: string; slug: string } };
        acknowledged.set(data.id, data.slug);
        if (acknowledged.size === KILLED_AFTER) await killTree(first);
      } catch {
        // The connection broke: this submission was not acknowledged.
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, submit));
  expect(acknowledged.size).toBeGreaterThanOrEqual(KILLED_AFTER);
  expect(acknowledged.size).toBeLessThan(SUBMISSIONS);

  const second = await start(dataDir);
  const again = await tokenOf(second);
  const read = async (path: string) => {
    const response = await fetch(`${second.url}${path}`, { headers: { authorization: `Bearer ${again}` } });
    return { status: response.status, body: (await response.json()) as { data?: { id?: string; slug?: string } } };
  };
  for (const [id, slug] of acknowledged) {
    expect(await read(`/api/projects/${id}`)).toMatchObject({ status: 200, body: { data: { id, slug } } });
  }

  // Every claimed slug belongs to a project, and every stored project has a published event.
  const stored = new Set<string>();
  for (let number = 0; number < next; number += 1) {
    const { status, body } = await read(`/api/projects/crash-${number}`);
    if (status === 200) stored.add(body.data?.id as string);
    const claimed = await post(
      `${second.url}/api/projects`,
      {
        plan: 'standard',
        name: 'Probe',
        slug: `crash-${number}`,
        url: 'https://probe.example.com',
        description: 'Claims the slug if it is free.',
        categories: ['design'],
        pricing_type: 'free',
      },
      again,
    );
    expect([number, claimed.status]).toEqual([number, status === 200 ? 409 : 201]);
  }
  expect([...acknowledged.keys()].filter((id) => !stored.has(id))).toEqual([]);

  const published = async (): Promise<Set<string>> => {
    const { data } = (await (await fetch(`${second.url}/_local/events?limit=10000`)).json()) as {
      data: { kind: string; data: { project_id: string } }[];
    };
    return new Set(
      data.filter(({ kind }) => kind === 'projectSubmitted').map(({ data: { project_id } }) => project_id),
    );
  };
  let missing = [...stored];
  for (let tries = 0; tries < 200 && missing.length > 0; tries += 1) {
    const known = await published();
    missing = missing.filter((id) => !known.has(id));
    if (missing.length > 0) await wait(50);
  }
  expect(missing).toEqual([]);
}, 90_000);
