import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { clientOf } from '#test/support/client.ts';
import { startProcess, type WorldProcess } from '#test/support/process.ts';
import { temporaryDataDir } from '#test/support/world.ts';

let dataDir: string;
let started: WorldProcess[];

const start = (env?: Record<string, string>): WorldProcess => {
  const world = startProcess(dataDir, env);
  started.push(world);
  return world;
};

beforeEach(() => {
  dataDir = temporaryDataDir();
  started = [];
});

afterEach(async () => {
  for (const world of started) await world.end('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

const enginePid = (): number =>
  (JSON.parse(readFileSync(path.join(dataDir, 'engine.json'), 'utf8')) as { pid: number }).pid;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A process that has ended but was not waited for by its parent counts as ended.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

const untilDead = async (pid: number): Promise<void> => {
  for (let waited = 0; isAlive(pid); waited += 20) {
    if (waited > 3000) throw new Error(`Process ${pid} is still there.`);
    await wait(20);
  }
};

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends everything that was started, with code 0',
  async (signal) => {
    const world = start();
    const url = await world.url();
    const engine = enginePid();
    expect(isAlive(engine)).toBe(true);

    const startedAt = performance.now();
    expect(await world.end(signal)).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAt).toBeLessThan(3000);
    expect(isAlive(engine)).toBe(false);
    await expect(fetch(url)).rejects.toThrow();
    expect(world.output()).not.toMatch(/error|\n {4}at /i);
  },
);

it('lets a request that it has begun end first', async () => {
  const world = start();
  const { hostname, port } = new URL(await world.url());
  const body = JSON.stringify({ email: 'slow@example.com', admin: true });
  const slow = request({
    hostname,
    port,
    method: 'POST',
    path: '/_local/token',
    headers: { 'content-type': 'application/json', 'content-length': body.length },
    agent: new Agent({ keepAlive: true }),
  });
  slow.write(body.slice(0, 10));
  await wait(100);
  const ending = world.end('SIGTERM');
  await wait(100);
  const startedAt = performance.now();
  slow.end(body.slice(10));
  const [answer] = (await once(slow, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  answer.resume();
  expect(await ending).toEqual({ code: 0, signal: null });
  expect(performance.now() - startedAt).toBeLessThan(2000);
});

/** Holds the end up: a request that has been begun and does not go on. */
const hang = async (url: string): Promise<Socket> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  socket.write('POST /_local/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n');
  await wait(100);
  return socket;
};

it('takes signals that come together for one', async () => {
  const world = start();
  const socket = await hang(await world.url());
  const ending = world.end('SIGTERM');
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM'] as const) world.child.kill(signal);
  await wait(300);
  socket.destroy();
  expect(await ending).toEqual({ code: 0, signal: null });
});

it('ends at once when it is asked again', async () => {
  const world = start();
  const socket = await hang(await world.url());
  const engine = enginePid();
  const ending = world.end('SIGINT');
  await wait(700);
  world.child.kill('SIGINT');
  expect(await ending).toEqual({ code: 130, signal: null });
  await untilDead(engine);
  socket.destroy();
});

it('says who has the data folder, without a stack', async () => {
  const first = start();
  await first.url();
  const second = start();
  expect(await second.ended()).toEqual({ code: 1, signal: null });
  expect(second.output().trim()).toBe(
    `The data folder ${dataDir} is in use by process ${first.child.pid}. End that one first, or set DATA_DIR to another folder.`,
  );
  // The first one has noticed nothing.
  expect((await fetch(await first.url())).status).toBe(200);
});

it('says that the port is in use and how to take another, without a stack', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const world = start({ PORT: String(port) });
  expect(await world.ended()).toEqual({ code: 1, signal: null });
  expect(world.output().trim()).toBe(`Port ${port} is in use. Set PORT to another one, such as PORT=${port + 1}.`);
  other.close();
});

it.each([
  [
    { RATE_LIMIT_VOTING: 'often' },
    'The environment is not usable: RATE_LIMIT_VOTING must be count/seconds, such as 600/60.',
  ],
  [{ PORT: 'http' }, 'PORT is http, which is not a number from 0 to 65535.'],
  [{ DYNOXIDE_BIN: '/nowhere/dynoxide' }, 'DYNOXIDE_BIN names /nowhere/dynoxide, which does not exist.'],
] as const)('names the setting that is wrong: %o', async (env, sentence) => {
  const world = start(env);
  expect(await world.ended()).toEqual({ code: 1, signal: null });
  expect(world.output().trim()).toBe(sentence);
});

it('takes its engine along when it is killed, and starts again', async () => {
  const first = start();
  await first.url();
  const engine = enginePid();
  await first.end('SIGKILL');
  await untilDead(engine);

  const second = start();
  expect((await fetch(await second.url())).status).toBe(200);
  expect(await second.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

it('brings a dead engine back at the same address without losing anything', async () => {
  const world = start();
  const client = clientOf(await world.url());
  await client.token({ email: 'ada@example.com', admin: true });
  process.kill(enginePid(), 'SIGKILL');
  const token = await client.token({ email: 'ada@example.com', admin: true });
  const answer = await client.call('GET', '/api/admin/projects', { token });
  expect(answer.status).toBe(200);
  client.close();
  expect(await world.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

it('keeps away from a real account that the shell is set up for', async () => {
  const world = start({
    AWS_PROFILE: 'production',
    AWS_ACCESS_KEY_ID: 'AKIAREAL',
    AWS_SECRET_ACCESS_KEY: 'real',
    AWS_SESSION_TOKEN: 'real',
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true',
    AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
  });
  const client = clientOf(await world.url());
  const token = await client.token({ email: 'ada@example.com', admin: true });
  expect((await client.call('GET', '/api/admin/projects', { token })).status).toBe(200);
  expect(world.output()).not.toMatch(/warning/i);
  client.close();
});
