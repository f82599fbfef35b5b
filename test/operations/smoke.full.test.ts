import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, clientOf } from '#test/support/client.ts';
import { type CommandOutcome, runCommand } from '#test/support/command.ts';
import { type FaultProxy, startFaultProxy, type Tamper } from '#test/support/fault-proxy.ts';
import { type ServerProcess, startProcess } from '#test/support/process.ts';
import { temporaryDataDir } from '#test/support/server.ts';

/** The smoke test against a server in another process, behind a proxy that can change responses. */

const ORIGIN = 'https://app.example.com';
const RUN_MS = 60_000;

const dataDir = temporaryDataDir();
let running: ServerProcess;
let url: string;
let client: Client;
let proxy: FaultProxy;

beforeAll(async () => {
  running = startProcess(dataDir, { ALLOWED_ORIGINS: ORIGIN, STAGE: 'sandbox' });
  url = await running.url();
  client = clientOf(url);
  proxy = await startFaultProxy(url);
}, RUN_MS);

afterAll(async () => {
  client.close();
  await proxy.stop();
  await running.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
});

const smoke = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandOutcome> =>
  runCommand('scripts/smoke.ts', args, { SMOKE_TOKEN: '', ...env });

/** The marks of all checks by name. */
const marksIn = ({ output }: CommandOutcome): Record<string, string> =>
  Object.fromEntries(
    [...output.matchAll(/^(ok|FAIL|-)\s+(\S+(?: \S+)*?)\s{2,}/gm)].map(([, mark = '', name = '']) => [name, mark]),
  );

const ALL = {
  transport: 'ok',
  health: 'ok',
  'deep health': 'ok',
  list: 'ok',
  facets: 'ok',
  search: 'ok',
  document: 'ok',
  'unknown path': 'ok',
  'protected route': 'ok',
  'rate headers': 'ok',
  preflight: 'ok',
  me: 'ok',
};

it(
  'npm run smoke passes all checks, with a line per check',
  async () => {
    const token = await client.token({ email: 'ada@example.com' });
    const outcome = await smoke([url, '--origin', ORIGIN], { SMOKE_TOKEN: token });
    expect(marksIn(outcome)).toEqual(ALL);
    expect(outcome.code).toBe(0);
    expect(outcome.output).toContain('of stage sandbox');
    expect(outcome.output.match(/ \d+ ms /g)).toHaveLength(Object.keys(ALL).length);
  },
  RUN_MS,
);

it(
  'npm run smoke skips checks without their option or variable, and names it',
  async () => {
    const outcome = await smoke([url]);
    expect(marksIn(outcome)).toEqual({ ...ALL, preflight: '-', me: '-' });
    expect(outcome.code).toBe(0);
    expect(outcome.output).toMatch(/--origin[\s\S]*SMOKE_TOKEN/);
  },
  RUN_MS,
);

it(
  'npm run smoke never prints a token, also when it is rejected',
  async () => {
    const token = `${await client.token({ email: 'ada@example.com' })}x`;
    const outcome = await smoke([url], { SMOKE_TOKEN: token });
    expect(marksIn(outcome)).toEqual({ ...ALL, preflight: '-', me: 'FAIL' });
    expect(outcome.code).toBe(1);
    expect(outcome.output + outcome.errors).not.toContain(token);
  },
  RUN_MS,
);

const json =
  (body: unknown): Tamper =>
  (response) => ({ ...response, body: JSON.stringify(body) });
const without =
  (...names: string[]): Tamper =>
  ({ headers }) => ({
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name))),
  });
const changed =
  (from: string | RegExp, to: string): Tamper =>
  ({ body }) => ({ body: body.replace(from, to) });

it.each<[what: string, step: string, requests: RegExp, tamper: Tamper]>([
  [
    'an unhealthy part',
    'deep health',
    /deep=1/,
    () => ({
      status: 503,
      body: JSON.stringify({ error: 'Unavailable', code: 'UNHEALTHY', parts: { table: 'timeout', bus: 'ok' } }),
    }),
  ],
  ['a list that does not match the document', 'list', /limit=5/, changed(/"slug":"[^"]*"/, '"slug":1')],
  [
    'a search without results',
    'search',
    /[?&]q=/,
    json({ data: [], meta: { total: 0, page: 1, pageSize: 100, hasMore: false, nextCursor: null } }),
  ],
  ['the document of another commit', 'document', /openapi/, changed('"/api/health"', '"/api/healthy"')],
  [
    'an error of API Gateway itself',
    'unknown path',
    /nothing-is-here/,
    () => ({ status: 403, body: '{"message":"Missing Authentication Token"}' }),
  ],
  ['an unprotected route', 'protected route', /user\/profile/, () => ({ status: 200 })],
  ['no rate limit headers', 'rate headers', /categories$/, without('ratelimit', 'ratelimit-policy')],
  [
    'CORS headers for any origin',
    'preflight',
    /^OPTIONS/,
    ({ headers }) => ({ headers: { ...headers, 'access-control-allow-origin': '*' } }),
  ],
])(
  'npm run smoke fails for %s',
  async (_, step, requests, tamper) => {
    proxy.fail(({ method, path }) => (requests.test(`${method} ${path}`) ? { tamper } : undefined));
    const outcome = await smoke([proxy.url, '--origin', ORIGIN, '--timeout', '3']);
    expect([marksIn(outcome)[step], outcome.code]).toEqual(['FAIL', 1]);
    expect(Object.values(marksIn(outcome)).filter((mark) => mark === 'FAIL')).toHaveLength(1);
    expect(outcome.errors).toContain(step);
  },
  RUN_MS,
);

it(
  'npm run smoke fails a check without a response after the time limit',
  async () => {
    proxy.fail(({ path }) => (/[?&]q=/.test(path) ? 'hang' : undefined));
    const outcome = await smoke([proxy.url, '--origin', ORIGIN, '--timeout', '3']);
    expect([marksIn(outcome), outcome.code]).toEqual([{ ...ALL, search: 'FAIL', me: '-' }, 1]);
    expect(outcome.output).toContain('no response within 3 seconds');
    expect(outcome.errors).toContain('search');
  },
  RUN_MS,
);

it(
  'npm run smoke skips the other checks when the deployment is unreachable or unencrypted',
  async () => {
    const unreachable = await smoke(['http://127.0.0.1:9', '--timeout', '3']);
    expect([marksIn(unreachable), unreachable.code]).toEqual([{ transport: 'ok', health: 'FAIL' }, 1]);
    const unencrypted = await smoke(['http://directory.example', '--timeout', '3']);
    expect([marksIn(unencrypted), unencrypted.code]).toEqual([{ transport: 'FAIL' }, 1]);
    // The server does not support TLS.
    const plain = await smoke([url.replace('http:', 'https:'), '--timeout', '3']);
    expect([marksIn(plain), plain.code]).toEqual([{ transport: 'FAIL' }, 1]);
  },
  RUN_MS,
);

it.each([
  [[]],
  [['not an address']],
  [['http://a.example', 'http://b.example']],
  [['http://a.example', '--timeout', 'x']],
  [['http://a.example', '--token', 'x']],
])(
  'npm run smoke prints its usage for %j',
  async (args) => {
    const outcome = await smoke(args);
    expect([outcome.code, outcome.output]).toEqual([2, '']);
    expect(outcome.errors).toContain('npm run smoke -- <base-url>');
  },
  RUN_MS,
);

it(
  'npm run smoke prints its usage with --help',
  async () => {
    const outcome = await smoke(['--help']);
    expect([outcome.code, outcome.errors]).toEqual([0, '']);
    expect(outcome.output).toContain('SMOKE_TOKEN');
  },
  RUN_MS,
);
