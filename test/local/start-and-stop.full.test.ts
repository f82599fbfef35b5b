import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dist, root } from '#lib/bundling/paths.ts';
import { freshConsole } from '#lib/console.ts';
import { freshSite } from '#lib/site.ts';
import { clientOf } from '#test/support/client.ts';
import { dataOf } from '#test/support/fixtures.ts';
import { canMount, withReadOnly, withSmallDisk } from '#test/support/mounts.ts';
import { LAUNCHED, type ServerProcess, startProcess } from '#test/support/process.ts';
import { OWN_SECRETS, temporaryDataDir } from '#test/support/server.ts';
import { until } from '#test/support/until.ts';

let dataDir: string;
let started: ServerProcess[];

const start = (env?: Record<string, string>): ServerProcess => {
  const server = startProcess(dataDir, env);
  started.push(server);
  return server;
};

beforeEach(() => {
  dataDir = temporaryDataDir();
  started = [];
});

afterEach(async () => {
  for (const server of started) await server.end('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

const enginePid = (): number =>
  (JSON.parse(readFileSync(path.join(dataDir, 'engine.json'), 'utf8')) as { pid: number }).pid;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A zombie counts as ended.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

const untilDead = (pid: number): Promise<void> => until(() => !isAlive(pid));

/** Waits until the server has handled the first signal. */
const untilStopping = (server: ServerProcess): Promise<void> => until(() => server.output().includes('Stopping.'));

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s stops all parts and exits with code 0', async (signal) => {
  const server = start();
  const url = await server.url();
  const engine = enginePid();
  expect(isAlive(engine)).toBe(true);

  expect(await server.end(signal)).toEqual({ code: 0, signal: null });
  expect(isAlive(engine)).toBe(false);
  await expect(fetch(url)).rejects.toThrow();
  expect(server.output()).not.toMatch(/error|\n {4}at /i);
});

it('the server completes running requests before it stops', async () => {
  const server = start();
  const { hostname, port } = new URL(await server.url());
  const body = JSON.stringify({ email: 'slow@example.com', admin: true });
  const slow = request({
    hostname,
    port,
    method: 'POST',
    path: '/_local/token',
    headers: { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' },
    agent: new Agent({ keepAlive: true }),
  });
  slow.write(body.slice(0, 10));
  await once(slow, 'continue');
  const ending = server.end('SIGTERM');
  await untilStopping(server);
  slow.end(body.slice(10));
  const [response] = (await once(slow, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  response.resume();
  expect(await ending).toEqual({ code: 0, signal: null });
});

/** Delays the shutdown with a request whose body never completes. */
const hang = async (url: string): Promise<Socket> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  socket.write('POST /_local/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n');
  // The server says that it waits for the body.
  await once(socket, 'data');
  return socket;
};

it('the server treats simultaneous signals as one', async () => {
  const server = start();
  const socket = await hang(await server.url());
  const ending = server.end('SIGTERM');
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM'] as const) server.child.kill(signal);
  await untilStopping(server);
  socket.destroy();
  expect(await ending).toEqual({ code: 0, signal: null });
});

it('the server exits immediately on a second signal', async () => {
  const server = start();
  const socket = await hang(await server.url());
  const engine = enginePid();
  const ending = server.end('SIGINT');
  await untilStopping(server);
  // Signals within half a second count as one.
  await wait(700);
  server.child.kill('SIGINT');
  expect(await ending).toEqual({ code: 130, signal: null });
  await untilDead(engine);
  socket.destroy();
});

it('a second server names the process that uses the data folder, without a stack', async () => {
  const first = start();
  await first.url();
  const second = start();
  expect(await second.ended()).toEqual({ code: 1, signal: null });
  expect(second.output().trim()).toBe(
    `The data folder ${dataDir} is in use by process ${first.child.pid}. Stop that process, or set DATA_DIR to another folder.`,
  );
  // The first process is unaffected.
  expect((await fetch(await first.url())).status).toBe(200);
});

it('the server reports a port in use and suggests another, without a stack', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const server = start({ PORT: String(port), LOG_LEVEL: '' });
  expect(await server.ended()).toEqual({ code: 1, signal: null });
  expect(server.output().trim()).toBe(
    `Port ${port} is in use. Set PORT to another port, for example PORT=${port + 1}.`,
  );
  other.close();
});

it.each([
  [{ RATE_LIMIT_VOTING: 'often' }, 'Invalid environment: RATE_LIMIT_VOTING must be count/seconds, such as 600/60.'],
  [
    { TRUSTED_PROXIES: 'x' },
    'Invalid environment: TRUSTED_PROXIES contains "x", which is not an address range, such as 10.0.0.0/8.',
  ],
  [
    { FEATURE_MAP: 'yes', ALLOWED_ORIGINS: 'https://a.example/' },
    'Invalid environment: ALLOWED_ORIGINS contains "https://a.example/", which is not an origin, such as https://shop.example. ' +
      'FEATURE_MAP must be on or off.',
  ],
  [
    { STRIPE_SECRET_KEY: 'sk_live_1', CRON_SECRET: 'own' },
    'Invalid environment: STRIPE_WEBHOOK_SECRET must be a secret of your own, or empty to accept no such requests, because ' +
      'STRIPE_SECRET_KEY is set and whsec_local is public.',
  ],
  [{ SAMPLE_DATA: 'none' }, 'Invalid environment: SAMPLE_DATA must be on or off.'],
  [
    { FEATURE_MAPS: 'on', STRIPE_KEY: 'sk_live_1' },
    /^Invalid environment: FEATURE_MAPS is not a setting: .*FEATURE_MAP, .*\. STRIPE_KEY is not a setting: .*STRIPE_SECRET_KEY/,
  ],
  [{ LOG_LEVEL: 'LOUD' }, /^Invalid environment: LOG_LEVEL must be one of TRACE, DEBUG, INFO/m],
  [{ PORT: 'http' }, 'PORT is http. It must be a number from 0 to 65535.'],
  [{ DYNOXIDE_BIN: '/nowhere/dynoxide' }, 'DYNOXIDE_BIN names /nowhere/dynoxide, which does not exist.'],
] as const)('names the invalid setting: %o', async (env, sentence) => {
  const server = start(env);
  expect(await server.ended()).toEqual({ code: 1, signal: null });
  if (typeof sentence === 'string') expect(server.output().trim()).toBe(sentence);
  else expect(server.output().trim()).toMatch(sentence);
});

it('arguments precede the environment, and the environment precedes the file .env', async () => {
  const folder = temporaryDataDir();
  const env = { DATA_DIR: undefined, INIT_CWD: folder, npm_lifecycle_event: 'start', SITE_NAME: 'Of the environment' };
  const lines = ['SITE_NAME=Of the file', 'LIVE_EDITS=review', 'PORT=1', 'DATA_DIR=/nowhere/at/all'];
  writeFileSync(path.join(folder, '.env'), lines.join('\n'));
  const server = startProcess(dataDir, { ...env, PORT: undefined }, ['--port', '0', '--data', 'listings']);
  started.push(server);
  const response = await fetch(`${await server.url()}/api/settings`);
  expect(await response.json()).toMatchObject({ data: { limits: { live_edits: 'review' } } });
  expect(existsSync(path.join(folder, 'listings', 'table.sqlite'))).toBe(true);
  expect(server.output()).toContain(
    `Data folder: ${path.join(folder, 'listings')}. Settings: ${path.join(folder, '.env')}.`,
  );
  await server.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

it.each([
  [['--prot', '4000'], "Unknown option '--prot'. `npm start -- --help` lists the arguments."],
  [['--port', 'http'], '--port is http. It must be a number from 0 to 65535.'],
])('the arguments %o end the start, without a stack', async (args, sentence) => {
  const server = startProcess(dataDir, {}, args);
  started.push(server);
  expect(await server.ended()).toEqual({ code: 1, signal: null });
  expect(server.output().trim()).toBe(sentence);
});

/** Elsewhere the loopback interface has one address. */
const isLinux = process.platform === 'linux';

const PUBLIC = {
  ...OWN_SECRETS,
  OIDC_ISSUER: 'https://issuer.example',
  OIDC_JWKS_URI: 'https://issuer.example/keys',
  OIDC_AUDIENCES: 'web',
};

it('a server for other machines listens on all addresses, begins empty and names no local parts', async () => {
  const server = start({ ...PUBLIC, HOST: '::' });
  const { port } = new URL(await server.url());
  for (const address of ['127.0.0.1', '[::1]', ...(isLinux ? ['127.0.0.2'] : [])]) {
    const response = await fetch(`http://${address}:${port}/api/projects`);
    expect(await response.json()).toMatchObject({ data: [], meta: { total: 0 } });
  }
  expect(server.output()).toContain('/console');
  expect(server.output()).not.toContain('_local');
  expect(server.output()).toContain('Links lead to this machine: set SITE_URL');
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

it.runIf(isLinux)('a server on one address of this machine also listens on those of its own parts', async () => {
  const server = start({ HOST: '127.0.0.9' });
  const { port } = new URL(await server.url());
  for (const address of ['127.0.0.9', '127.0.0.1', 'localhost'])
    expect((await fetch(`http://${address}:${port}/_local/mail`)).status).toBe(200);
  await expect(fetch(`http://127.0.0.8:${port}/`)).rejects.toThrow();
});

it('a server for https without an issuer says that users cannot sign in', async () => {
  const server = start({ ...OWN_SECRETS, HTTPS_ONLY: 'on', SITE_URL: 'https://directory.example' });
  await server.url();
  expect(server.output()).toContain('Users cannot sign in: set OIDC_ISSUER.');
  expect(server.output()).not.toContain('Links lead to this machine');
});

it.each(['203.0.113.9', '2001:db8::9'])('an address of another machine ends the start: HOST=%s', async (HOST) => {
  const server = start({ ...PUBLIC, HOST });
  expect(await server.ended()).toEqual({ code: 1, signal: null });
  expect(server.output().trim()).toBe(`HOST is ${HOST}, which is no address of this machine.`);
});

it('a killed server leaves no engine running and can be started again', async () => {
  const first = start();
  await first.url();
  const engine = enginePid();
  await first.end('SIGKILL');
  await untilDead(engine);

  const second = start();
  expect((await fetch(await second.url())).status).toBe(200);
  expect(await second.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

it('a crashed engine is restarted on the same port without data loss', async () => {
  const server = start();
  const client = clientOf(await server.url());
  await client.token({ email: 'ada@example.com', admin: true });
  process.kill(enginePid(), 'SIGKILL');
  const token = await client.token({ email: 'ada@example.com', admin: true });
  const response = await client.call('GET', '/api/admin/projects', { token });
  expect(response.status).toBe(200);
  client.close();
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

it("the server does not use the user's configuration of AWS, variables and files", async () => {
  const folder = path.join(dataDir, '.aws');
  mkdirSync(folder);
  const lines = ['[default]', 'use_fips_endpoint = true', 'region = nowhere', 'endpoint_url = http://127.0.0.1:1'];
  writeFileSync(path.join(folder, 'config'), lines.join('\n'));
  const server = start({
    HOME: dataDir,
    USERPROFILE: dataDir,
    AWS_USE_FIPS_ENDPOINT: 'true',
    AWS_USE_DUALSTACK_ENDPOINT: 'true',
    AWS_ACCOUNT_ID_ENDPOINT_MODE: 'required',
    AWS_MAX_ATTEMPTS: 'x',
    AWS_DEFAULTS_MODE: 'none',
    AWS_PROFILE: 'production',
    AWS_ACCESS_KEY_ID: 'AKIAREAL',
    AWS_SECRET_ACCESS_KEY: 'real',
    AWS_SESSION_TOKEN: 'real',
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true',
    AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
    AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1',
  });
  const client = clientOf(await server.url());
  const token = await client.token({ email: 'ada@example.com', admin: true });
  expect((await client.call('GET', '/api/admin/projects', { token })).status).toBe(200);
  expect(server.output()).not.toMatch(/warning/i);
  client.close();
});

it('the parts of the server connect to each other without a proxy', async () => {
  const proxy = 'http://127.0.0.1:1';
  const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, http_proxy: proxy, HTTPS_PROXY: proxy };
  const server = startProcess(dataDir, env, [], LAUNCHED);
  started.push(server);
  const client = clientOf(await server.url());
  const token = await client.token({ email: 'ada@example.com', admin: true });
  expect((await client.call('GET', '/api/admin/projects', { token })).status).toBe(200);
  const body = {
    plan: 'premium',
    name: 'Lamp',
    url: 'https://lamp.example',
    description: 'A lamp.',
    categories: ['design'],
    pricing_type: 'free',
  };
  const submitted = await client.call('POST', '/api/projects', { token, body });
  expect(submitted.status).toBe(200);
  const { checkoutUrl } = dataOf<{ checkoutUrl: string }>(submitted);
  // The mock of the provider reports the payment to the service.
  const paid = await client.call('POST', new URL(checkoutUrl).pathname, { body: { outcome: 'paid' } });
  expect(paid.status).toBe(200);
  await until(async () => {
    const { body: submissions } = await client.call('GET', '/api/me/submissions', { token });
    return JSON.stringify(submissions).includes('"paid_at":"2');
  });
  client.close();
});

describe.runIf(canMount)('folders that cannot be written', () => {
  beforeAll(() => Promise.all([freshConsole(), freshSite()]));

  it('a start that builds nothing writes to its data folder only', async () => {
    const server = startProcess(dataDir, {}, [], [...withReadOnly(root), ...LAUNCHED]);
    started.push(server);
    const url = await server.url();
    for (const page of ['/', '/console', '/docs']) expect((await fetch(`${url}${page}`)).status).toBe(200);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(server.output()).not.toMatch(/error|warning|read-only/i);
  });

  it.each([4, 600, 2600])('a console that must be built on %i KiB ends the start with a sentence', async (kib) => {
    // Nothing is built there.
    const server = startProcess(dataDir, {}, [], [...withSmallDisk(dist, kib), process.execPath]);
    started.push(server);
    expect(await server.ended()).toEqual({ code: 1, signal: null });
    expect(server.output()).toMatch(
      /^Console and pages cannot be built in .*dist: .*\. Free disk space, and start again\.\n$/,
    );
  });

  it('a console that must be built in a read-only folder ends the start with the command to run', async () => {
    const words = [...withSmallDisk(dist, 64), ...withReadOnly(dist), process.execPath] as const;
    const server = startProcess(dataDir, {}, [], words);
    started.push(server);
    expect(await server.ended()).toEqual({ code: 1, signal: null });
    expect(server.output()).toMatch(
      /^Console and pages cannot be built in .*dist: .*\. Run `npm run bundle` as .*\.\n$/,
    );
  });

  it.each([4, 40, 200, 1000])('a disk with %i KiB ends the first start with a sentence', async (kib) => {
    const server = startProcess(dataDir, {}, [], [...withSmallDisk(dataDir, kib), process.execPath]);
    started.push(server);
    expect(await server.ended()).toEqual({ code: 1, signal: null });
    const sentence =
      /^The data folder (.*) cannot be used: .*\. Free disk space, or set DATA_DIR to another folder\.$/m;
    expect(sentence.exec(server.output())?.[1]).toBe(dataDir);
    expect(server.output()).not.toMatch(/\n {4}at /);
  });
});

it('a server needs no folder for temporary files', async () => {
  const missing = path.join(dataDir, 'missing');
  const server = startProcess(dataDir, { TMPDIR: missing, TMP: missing, TEMP: missing }, [], LAUNCHED);
  started.push(server);
  expect((await fetch(`${await server.url()}/console`)).status).toBe(200);
});

it('a server with SAMPLE_DATA=off begins empty and stays so', async () => {
  for (const env of [{ SAMPLE_DATA: 'off' }, {}] as Record<string, string>[]) {
    const server = start(env);
    const response = await fetch(`${await server.url()}/api/projects`);
    expect(await response.json()).toMatchObject({ data: [], meta: { total: 0 } });
    await server.end('SIGTERM');
  }
});

it('jobs cannot be called over HTTP when CRON_SECRET is empty', async () => {
  const server = start({ CRON_SECRET: '' });
  const url = await server.url();
  for (const secret of ['local-cron-secret', 'x']) {
    const headers = { authorization: `Bearer ${secret}` };
    expect((await fetch(`${url}/api/cron/purge-deleted`, { method: 'POST', headers })).status).toBe(401);
  }
});

it('the server uses another engine without credentials in the environment', async () => {
  const first = start();
  await first.url();
  const { host, port } = JSON.parse(readFileSync(path.join(dataDir, 'engine.json'), 'utf8')) as {
    host: string;
    port: number;
  };
  const none = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_PROFILE: '', HOME: dataDir };
  const second = start({
    ...none,
    DATA_DIR: path.join(dataDir, 'second'),
    DYNAMODB_ENDPOINT: `http://${host}:${port}`,
    TABLE_NAME: 'another',
  });
  expect((await fetch(`${await second.url()}/api/projects`)).status).toBe(200);
});

const SENTENCES = 'Restore it from a backup';
const prepared = async (): Promise<void> => {
  const first = start();
  await first.url();
  await first.end('SIGTERM');
};

it('the data folder has a format, and its data is readable for its owner only', async () => {
  await prepared();
  expect(JSON.parse(readFileSync(path.join(dataDir, 'format.json'), 'utf8'))).toEqual({ format: 2 });
  // Data from before, or copied by hand.
  for (const name of readdirSync(dataDir)) chmodSync(path.join(dataDir, name), 0o644);
  chmodSync(dataDir, 0o755);
  const second = start();
  await second.url();
  // The folder is that of the user, who may have other things in it.
  expect(statSync(dataDir).mode & 0o777).toBe(0o755);
  const entries = readdirSync(dataDir, { withFileTypes: true });
  const modes = entries.map(({ name }) => [name, statSync(path.join(dataDir, name)).mode & 0o777]);
  expect(modes).toEqual(entries.map((entry) => [entry.name, entry.isDirectory() ? 0o700 : 0o600]));
});

it.each([
  ['journal.sqlite', 'not a database'.repeat(100)],
  ['issuer-key.json', '{"kty":"RSA"'],
  ['issuer-key.json', '{"kty":"RSA","n":"AQAB","e":"AQAB"}'],
  ['secrets-key.json', '{"key":"c2hvcnQ="}'],
  ['format.json', 'damaged'],
])('the data folder with a damaged %s ends the start with a sentence that says what to do', async (name, content) => {
  await prepared();
  const file = path.join(dataDir, name);
  for (const other of readdirSync(dataDir).filter((one) => one.startsWith(`${name}-`)))
    rmSync(path.join(dataDir, other));
  writeFileSync(file, content);
  const server = start();
  expect(await server.ended()).toEqual({ code: 1, signal: null });
  expect(server.output()).toContain(`The file ${file} is damaged: `);
  expect(server.output()).toContain(SENTENCES);
  expect(server.output()).toContain('delete it and start again');
  expect(server.output()).not.toMatch(/\n {4}at /);
});

it('the data folder of another format is left alone, with an error that names both formats', async () => {
  await prepared();
  writeFileSync(path.join(dataDir, 'format.json'), '{"format":1}');
  const server = start();
  expect(await server.ended()).toEqual({ code: 1, signal: null });
  expect(server.output().trim()).toBe(
    `The data folder ${dataDir} was written by another version: its format is 1, and this version reads format 2. ` +
      'Start that version, or set DATA_DIR to another folder.',
  );
});
