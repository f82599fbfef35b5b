import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientOf } from '#test/support/client.ts';
import { type CommandOutcome, runCommand } from '#test/support/command.ts';
import { startProcess, type WorldProcess } from '#test/support/process.ts';
import { type Tamper, type Tampering, tamperWith } from '#test/support/tampering.ts';
import { temporaryDataDir } from '#test/support/world.ts';

/** The smoke test, as it is run after a deployment: against a server in another process, well and not so well. */

const ORIGIN = 'https://app.example.com';
const RUN_MS = 60_000;

const dataDir = temporaryDataDir();
let running: WorldProcess;
let url: string;
let client: Client;
let between: Tampering;

beforeAll(async () => {
  running = startProcess(dataDir, { ALLOWED_ORIGINS: ORIGIN, STAGE: 'rehearsal' });
  url = await running.url();
  client = clientOf(url);
  between = await tamperWith(url);
}, RUN_MS);

afterAll(async () => {
  client.close();
  await between.stop();
  await running.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
});

const smoke = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandOutcome> =>
  runCommand('scripts/smoke.ts', args, { SMOKE_TOKEN: '', ...env });

/** The marks of all questions by their names. */
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

describe('npm run smoke', () => {
  it(
    'ends well where all is well, with a line per question',
    async () => {
      const token = await client.token({ email: 'ada@example.com' });
      const outcome = await smoke([url, '--origin', ORIGIN], { SMOKE_TOKEN: token });
      expect(marksIn(outcome)).toEqual(ALL);
      expect(outcome.code).toBe(0);
      expect(outcome.output).toContain('of stage rehearsal');
      expect(outcome.output.match(/ \d+ ms /g)).toHaveLength(Object.keys(ALL).length);
    },
    RUN_MS,
  );

  it(
    'leaves out what it was not given anything for, and says what that is',
    async () => {
      const outcome = await smoke([url]);
      expect(marksIn(outcome)).toEqual({ ...ALL, preflight: '-', me: '-' });
      expect(outcome.code).toBe(0);
      expect(outcome.output).toMatch(/--origin[\s\S]*SMOKE_TOKEN/);
    },
    RUN_MS,
  );

  it(
    'never shows a token, also where it is refused',
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
    (answer) => ({ ...answer, body: JSON.stringify(body) });
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
      'a health that may be kept',
      'health',
      /health$/,
      ({ headers }) => ({ headers: { ...headers, 'cache-control': 'public' } }),
    ],
    [
      'a part that does not answer',
      'deep health',
      /deep=1/,
      () => ({
        status: 503,
        body: JSON.stringify({ error: 'Unavailable', code: 'UNHEALTHY', parts: { table: 'timeout', bus: 'ok' } }),
      }),
    ],
    ['a list that is not what the document says', 'list', /limit=5/, changed(/"slug":"[^"]*"/, '"slug":1')],
    [
      'a page that is too short',
      'list',
      /limit=5/,
      json({ data: [], meta: { total: 9, page: 1, pageSize: 5, hasMore: true, nextCursor: null } }),
    ],
    ['facets that do not add up', 'facets', /facets/, changed(/"total":\d+/, '"total":1')],
    [
      'a search that finds nothing',
      'search',
      /[?&]q=/,
      json({ data: [], meta: { total: 0, page: 1, pageSize: 100, hasMore: false, nextCursor: null } }),
    ],
    ['the document of another commit', 'document', /openapi/, changed('"/api/health"', '"/api/healthy"')],
    [
      'an error of the gateway’s own',
      'unknown path',
      /nothing-is-here/,
      () => ({ status: 403, body: '{"message":"Missing Authentication Token"}' }),
    ],
    ['a route that protects nothing', 'protected route', /user\/profile/, () => ({ status: 200 })],
    ['no quota', 'rate headers', /categories$/, without('ratelimit', 'ratelimit-policy')],
    ['no words for other origins', 'preflight', /^OPTIONS/, without('access-control-allow-origin')],
    [
      'words for any origin',
      'preflight',
      /^OPTIONS/,
      ({ headers }) => ({ headers: { ...headers, 'access-control-allow-origin': '*' } }),
    ],
    ['no answer', 'search', /[?&]q=/, () => undefined],
  ])(
    'says so where it meets %s',
    async (_, step, requests, tamper) => {
      between.with(tamper, requests);
      const from = Date.now();
      const outcome = await smoke([between.url, '--origin', ORIGIN, '--timeout', '3']);
      expect([marksIn(outcome)[step], outcome.code]).toEqual(['FAIL', 1]);
      expect(Object.values(marksIn(outcome)).filter((mark) => mark === 'FAIL')).toHaveLength(1);
      expect(outcome.errors).toContain(step);
      expect(Date.now() - from).toBeLessThan(20_000);
    },
    RUN_MS,
  );

  it(
    'asks nothing more where nobody answers, or where tokens would travel in the open',
    async () => {
      const nobody = await smoke(['http://127.0.0.1:9', '--timeout', '3']);
      expect([marksIn(nobody), nobody.code]).toEqual([{ transport: 'ok', health: 'FAIL' }, 1]);
      const open = await smoke(['http://directory.example', '--timeout', '3']);
      expect([marksIn(open), open.code]).toEqual([{ transport: 'FAIL' }, 1]);
      // What answers there speaks no TLS.
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
    'explains itself when it is called with %j',
    async (args) => {
      const outcome = await smoke(args);
      expect([outcome.code, outcome.output]).toEqual([2, '']);
      expect(outcome.errors).toContain('npm run smoke -- <base-url>');
    },
    RUN_MS,
  );

  it(
    'explains itself when it is asked to',
    async () => {
      const outcome = await smoke(['--help']);
      expect([outcome.code, outcome.errors]).toEqual([0, '']);
      expect(outcome.output).toContain('SMOKE_TOKEN');
    },
    RUN_MS,
  );
});
