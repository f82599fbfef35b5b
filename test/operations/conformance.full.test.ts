import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, clientOf } from '#test/support/client.ts';
import { type CommandOutcome, runCommand } from '#test/support/command.ts';
import { type FaultProxy, startFaultProxy } from '#test/support/fault-proxy.ts';
import { dataOf, metaOf } from '#test/support/fixtures.ts';
import { type ServerProcess, startProcess } from '#test/support/process.ts';
import { temporaryDataDir } from '#test/support/server.ts';

/** The conformance command against a server in another process, behind a proxy that can fake the stage. */

const ORIGIN = 'https://app.example.com';
const RUN_MS = 300_000;
/** What a run deletes is searched for until the lists have it. */
const REMOVAL_MS = 60_000;
const JOURNEY = ['--', '-t', 'a listing is submitted'];

const dataDir = temporaryDataDir();
const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
let running: ServerProcess;
let url: string;
let client: Client;
let proxy: FaultProxy;

beforeAll(async () => {
  running = startProcess(dataDir, { ALLOWED_ORIGINS: ORIGIN });
  url = await running.url();
  client = clientOf(url);
  proxy = await startFaultProxy(url);
}, RUN_MS);

afterAll(async () => {
  client.close();
  await proxy.stop();
  await running.end('SIGTERM');
  for (const one of [dataDir, folder]) rmSync(one, { recursive: true, force: true });
});

const conformance = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandOutcome> =>
  runCommand('scripts/conformance.ts', args, {
    ...{ CONFORMANCE_ADMIN_TOKEN: '', CONFORMANCE_USER_TOKEN: '', CONFORMANCE_OTHER_TOKEN: '' },
    ...{ CONFORMANCE_TOKEN_COMMAND: '', ...env },
  });

/** Replaces a text in the responses to the requests that match, written as `GET /path?query`. */
const replaceIn = (requests: RegExp, from: string | RegExp, to: string): void =>
  proxy.fail(({ method, path }) =>
    requests.test(`${method} ${path}`) ? { tamper: ({ body }) => ({ body: body.replace(from, to) }) } : undefined,
  );

const fakeStage = (stage: string): void => replaceIn(/^GET \/api\/health$/, '"stage":"local"', `"stage":"${stage}"`);

const adminToken = (): Promise<string> => client.token({ email: 'root@example.com', admin: true });

/** All visible data that a run may have failed to delete. */
const findRemaining = async (): Promise<readonly unknown[]> => {
  const token = await adminToken();
  const get = (path: string) => client.call('GET', path, { token });
  const projects = metaOf(await get('/api/admin/projects?status=all&q=conformance')).total;
  const named = async (path: string) =>
    dataOf<object[]>(await get(path)).filter((one) => JSON.stringify(one).includes('conformance'));
  const promotions = dataOf<{ status: string; user_id: string }[]>(await get('/api/admin/promotions'));
  return [
    ...Array.from({ length: projects }, () => 'a project'),
    ...(await named('/api/categories')),
    ...(await named('/api/admin/webhooks')),
    // The sample data has promotions of its own.
    ...promotions.filter(({ status, user_id }) => status === 'active' && user_id !== 'sample-owner'),
  ];
};

const submissionsSoFar = async (): Promise<number> => {
  const token = await adminToken();
  return dataOf<unknown[]>(await client.call('GET', '/api/admin/events?kind=projectSubmitted&limit=100', { token }))
    .length;
};

it(
  'npm run conformance runs the whole suite against a server and deletes all created data',
  async () => {
    const before = await submissionsSoFar();
    const outcome = await conformance([url, '--origin', ORIGIN]);
    expect(outcome.output + outcome.errors).toMatch(/Tests\s+\d{3,} passed \(\d{3,}\)/);
    expect(outcome.code).toBe(0);
    expect(outcome.output).toMatch(/^Stage local at \S+, run conformance-\w+\.$/m);
    expect(Number(/(\d+) of \d+ documented responses seen/.exec(outcome.output)?.[1])).toBeGreaterThan(200);
    expect(await submissionsSoFar()).toBeGreaterThan(before);
    await expect.poll(findRemaining, { timeout: REMOVAL_MS }).toEqual([]);
  },
  RUN_MS,
);

it.each<[what: string, requests: RegExp, from: string | RegExp, to: string]>([
  ['counts a vote twice', /^PUT .*\/upvote$/, '"upvote_count":1', '"upvote_count":2'],
  [
    'returns an undocumented response',
    /^GET \/api\/me\/submissions/,
    /"queue_position":\d+/,
    '"queue_position":"first"',
  ],
])(
  'npm run conformance exits with 1 when the server %s',
  async (_, requests, from, to) => {
    replaceIn(requests, from, to);
    const outcome = await conformance([proxy.url, ...JOURNEY]);
    expect([outcome.code, outcome.output.includes('1 failed')]).toEqual([1, true]);
    await expect.poll(findRemaining, { timeout: REMOVAL_MS }).toEqual([]);
  },
  RUN_MS,
);

it(
  'npm run conformance does not write to a protected stage without the explicit option',
  async () => {
    const before = await submissionsSoFar();
    for (const stage of ['prod', 'Not a stage']) {
      fakeStage(stage);
      const refused = await conformance([proxy.url, ...JOURNEY], { CONFORMANCE_ADMIN_TOKEN: await adminToken() });
      expect([refused.code, refused.output]).toEqual([2, '']);
      expect(refused.errors).toContain('--i-know-that-this-writes-to-production');
    }
    expect(await submissionsSoFar()).toBe(before);
    fakeStage('prod');
    const reading = await conformance([proxy.url, '--public']);
    expect([reading.code, await submissionsSoFar()]).toEqual([0, before]);
  },
  RUN_MS,
);

it(
  'npm run conformance reads tokens from variables or from a command, and prints none',
  async () => {
    const tokens = {
      admin: await adminToken(),
      user: await client.token({ email: 'user@example.com' }),
      other: await client.token({ email: 'other@example.com' }),
    };
    const command = join(folder, 'tokens.mjs');
    writeFileSync(command, `console.log(${JSON.stringify(tokens)}[process.argv[2]]);`);
    fakeStage('staging');
    const outcomes = [
      await conformance([proxy.url, ...JOURNEY], {
        CONFORMANCE_ADMIN_TOKEN: tokens.admin,
        CONFORMANCE_USER_TOKEN: tokens.user,
        CONFORMANCE_OTHER_TOKEN: tokens.other,
      }),
      await conformance([proxy.url, ...JOURNEY], {
        CONFORMANCE_TOKEN_COMMAND: `"${process.execPath}" "${command}"`,
      }),
    ];
    for (const { code, output, errors } of outcomes) {
      expect(code).toBe(0);
      for (const token of Object.values(tokens)) expect(output + errors).not.toContain(token);
    }
  },
  RUN_MS,
);

it(
  'npm run conformance exits with 2 and names what is missing',
  async () => {
    fakeStage('staging');
    const token = await adminToken();
    const calls: [readonly string[], Record<string, string>, string][] = [
      [[proxy.url], {}, 'CONFORMANCE_ADMIN_TOKEN is not set'],
      [[proxy.url], { CONFORMANCE_TOKEN_COMMAND: 'exit 7; :' }, 'exit code 7'],
      [[proxy.url], { CONFORMANCE_TOKEN_COMMAND: 'echo nonsense' }, 'not a JSON Web Token'],
      [[proxy.url], { CONFORMANCE_TOKEN_COMMAND: `echo ${token}; :` }, 'three different users'],
      [['http://directory.example'], {}, 'unencrypted'],
      [['http://127.0.0.1:9'], {}, 'npm run smoke'],
      [[], {}, 'Name the deployment'],
      [[url, '--token', 'x'], {}, '--token'],
    ];
    const outcomes = await Promise.all(calls.map(([args, env]) => conformance(args, env)));
    for (const [position, { code, output, errors }] of outcomes.entries()) {
      expect([code, output]).toEqual([2, '']);
      expect(errors).toContain(calls[position]?.[2]);
      expect(errors).not.toContain(token);
    }
  },
  RUN_MS,
);
