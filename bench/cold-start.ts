import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { routes } from '#contract/table.ts';
import { bundleFolder, freshBundles } from '#lib/bundle.ts';
import { compileFunction } from '#lib/compilation/compile.ts';
import { doors } from '#lib/doors.ts';
import { issuerOf } from '#local/environment.ts';
import { KEYS_PATH } from '#local/issuer.ts';
import { startDirectory } from './cold-start/directory.ts';
import { environmentOf, environments } from './cold-start/environment.ts';
import { bundleListAlone, bundleOneUpdate } from './cold-start/variants.ts';

const HELP = `Measures how functions start, beside one that does nothing.

  node bench/cold-start.ts [--runs 15] [--stage dev] [--as-lambda]

For each of the ten most used routes: its bundle is imported in a fresh Node process that has what its template gives it
and nothing else, and answers its first event against the embedded engine. Beside them stand a function that makes one call
with the SDK, and the list with an empty catalog in place of the one that is loaded; and all once more as they are compiled
(scripts/compile.ts --help). A round starts every function once, one after the other, and the table has the medians of all
rounds. "total" goes from the start of the process to the answer, and is also given as a multiple of the empty handler's.
The directory has one listing, so the catalog is loaded by a question or two.

  --as-lambda  starts Node, also for the empty handler, with the flags that Lambda has been seen to give it: with them Node
               compiles its own parts anew at every start, the empty handler's too, so that the multiples are smaller

What a network, a slower processor and the sandbox of a real function add is not in it: read the multiples, not the numbers.
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    runs: { type: 'string', default: '15' },
    stage: { type: 'string', default: 'dev' },
    'as-lambda': { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const flags = values['as-lambda'] ? ['--expose-gc', '--max-http-header-size=81920'] : [];

interface Asked {
  /** The id of the route. */
  readonly id: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly token?: string;
  readonly body?: unknown;
}

interface Measured {
  readonly status: number;
  readonly body?: string;
  readonly importMs: number;
  readonly firstMs: number;
  readonly totalMs: number;
  readonly cpuMs: number;
}

const eventOf = ({ id, params, token, body }: Asked): string => {
  const route = routes.find((one) => one.id === id);
  if (!route) throw new Error(`There is no route ${id}.`);
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params?.[name] ?? name);
  const headers: Record<string, string> = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  return JSON.stringify({
    resource: route.path,
    path,
    httpMethod: route.method,
    headers,
    multiValueHeaders: {},
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: params ?? null,
    stageVariables: null,
    requestContext: { requestId: 'cold-start', identity: { sourceIp: '127.0.0.1' } },
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
  });
};

const start = promisify(execFile);
const program = join(import.meta.dirname, 'cold-start/first-event.mjs');

const measure = async (bundle: string, event: string, env: Readonly<Record<string, string>>): Promise<Measured> => {
  const { stdout, stderr } = await start(process.execPath, [...flags, program, bundle, event], { env });
  const measured = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Measured;
  if (measured.status >= 400) throw new Error(`${bundle} answered ${measured.status}: ${stdout}${stderr}`);
  return measured;
};

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;

/** All that is uploaded with a file of a function, in bytes. */
const weightOf = (file: string): number =>
  basename(file) === 'index.mjs'
    ? globSync(join(dirname(file), '*')).reduce((sum, part) => sum + statSync(part).size, 0)
    : statSync(file).size;

interface Started {
  readonly name: string;
  readonly file: string;
  readonly event: string;
  readonly env: Readonly<Record<string, string>>;
}

await freshBundles();
const all = environments(values.stage);
const folder = mkdtempSync(join(tmpdir(), 'cold-start-'));
const directory = await startDirectory();
try {
  const { world, token, project } = directory;
  const local = {
    TABLE_NAME: world.tableName,
    OIDC_ISSUER: issuerOf(world.port),
    OIDC_AUDIENCES: '',
    OIDC_JWKS_URI: `http://127.0.0.1:${world.port}${KEYS_PATH}`,
  };
  // What the runtime adds to the variables of the template, and the way to the engine.
  const ofRuntime = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: world.databaseEndpoint,
  };
  const params = { project };
  const asked: readonly Asked[] = [
    { id: 'projects.list' },
    { id: 'projects.read', params },
    { id: 'projects.map' },
    { id: 'categories.list' },
    { id: 'settings.readPublic' },
    { id: 'comments.list', params },
    { id: 'promotions.list' },
    { id: 'analytics.track', body: { type: 'pageview', path: '/' } },
    { id: 'votes.toggle', params, token },
    { id: 'users.readProfile', token },
  ];
  const routesAsked = asked.map((one): Started => {
    const door = doors.find(({ id }) => id === one.id);
    if (!door) throw new Error(`No function belongs to ${one.id}.`);
    const own = environmentOf(all, one.id);
    // Only what the template gives too: a variable that is missing there must be missing here.
    const given = Object.fromEntries(Object.entries(local).filter(([name]) => name in own));
    return {
      name: one.id,
      file: join(bundleFolder(door.path), 'index.mjs'),
      event: eventOf(one),
      env: { ...own, ...given, ...ofRuntime, LOG_LEVEL: 'WARN' },
    };
  });
  const [list] = routesAsked;
  if (!list) throw new Error('Nothing is asked.');
  const empty: Started = {
    name: 'empty handler',
    file: join(import.meta.dirname, 'cold-start/empty.mjs'),
    event: '{}',
    env: {},
  };
  const bundled: readonly Started[] = [
    { ...list, name: 'one call with the SDK', file: join(await bundleOneUpdate(folder), 'index.mjs') },
    { ...list, name: 'list, empty catalog', file: join(await bundleListAlone(folder), 'index.mjs') },
    ...routesAsked,
  ];
  const compiled: Started[] = [];
  for (const one of bundled) {
    const to = join(folder, 'compiled', one.name);
    await compileFunction(dirname(one.file), to);
    compiled.push({ ...one, file: join(to, 'index.mjs') });
  }
  const kinds = [[empty], bundled, compiled].map((some) => some.map((one) => ({ ...one, seen: [] as Measured[] })));

  // The first round is for the machine's own caches.
  for (let round = 0; round <= Number(values.runs); round += 1) {
    for (const { file, event, env, seen } of kinds.flat()) {
      const measured = await measure(file, event, env);
      if (round > 0) seen.push(measured);
    }
  }

  type Part = 'importMs' | 'firstMs' | 'totalMs' | 'cpuMs';
  const of = (part: Part, seen: readonly Measured[] = []): number => median(seen.map((one) => one[part]));
  const nothing = kinds[0]?.[0]?.seen;
  const columns = ['kB', 'import ms', 'first ms', 'total ms', 'of empty', 'cpu ms', 'of empty'];
  for (const [title, some] of [
    ['function', [...(kinds[0] ?? []), ...(kinds[1] ?? [])]],
    ['compiled function', kinds[2] ?? []],
  ] as const) {
    console.log(`\n${title.padEnd(22)}${columns.map((name) => name.padStart(11)).join('')}`);
    for (const { name, file, seen } of some) {
      const row = [
        Math.ceil(weightOf(file) / 1000).toString(),
        of('importMs', seen).toFixed(1),
        of('firstMs', seen).toFixed(1),
        of('totalMs', seen).toFixed(1),
        (of('totalMs', seen) / of('totalMs', nothing)).toFixed(2),
        of('cpuMs', seen).toFixed(1),
        (of('cpuMs', seen) / of('cpuMs', nothing)).toFixed(2),
      ];
      console.log(`${name.padEnd(22)}${row.map((cell) => cell.padStart(11)).join('')}`);
    }
  }
} finally {
  await directory.stop();
  rmSync(folder, { recursive: true, force: true });
}
