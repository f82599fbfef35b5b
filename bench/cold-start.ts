import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { routes } from '#contract/table.ts';
import { bundleFile, freshBundles } from '#lib/bundle.ts';
import { handlerFiles } from '#lib/handlers.ts';
import { issuerOf } from '#local/environment.ts';
import { KEYS_PATH, LOCAL_AUDIENCE } from '#local/issuer.ts';
import { startDirectory } from './cold-start/directory.ts';
import { environmentOf, environments } from './cold-start/environment.ts';
import { bundleListAlone, bundleOneUpdate } from './cold-start/variants.ts';

const HELP = `Measures cold starts of functions, compared with an empty handler.

  node bench/cold-start.ts [--runs 15] [--stage dev] [--as-lambda]

For each of the ten most used routes, its bundle is imported in a new Node process with only the environment of its template,
and handles its first event against the embedded engine. Also measured: a function that makes one SDK call, and the list with
an empty catalog instead of the loaded one. A round starts every function once, one after the other; the table shows medians
of all rounds. "total" is the time from the start of the process to the response, also as a multiple of that of the empty
handler. The directory has one listing, so that one or two queries load the catalog.

  --as-lambda  starts Node with the flags observed in Lambda, for the empty handler too. With them Node compiles its
               built-in modules at every start, which makes the multiples smaller

Network, slower processors and the sandbox of Lambda are not included: compare the multiples, not the times.
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

interface RouteRequest {
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

const eventOf = ({ id, params, token, body }: RouteRequest): string => {
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
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
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

interface Candidate {
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
  const { server, token, project } = directory;
  const local = {
    TABLE_NAME: server.tableName,
    OIDC_ISSUER: issuerOf(server.port),
    OIDC_AUDIENCES: LOCAL_AUDIENCE,
    OIDC_JWKS_URI: `http://127.0.0.1:${server.port}${KEYS_PATH}`,
  };
  // Variables added by the Lambda runtime, and the endpoint of the engine.
  const ofRuntime = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: server.databaseEndpoint,
  };
  const params = { project };
  const requests: readonly RouteRequest[] = [
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
  const routeCandidates = requests.map((one): Candidate => {
    const handler = handlerFiles.find(({ id }) => id === one.id);
    if (!handler) throw new Error(`There is no function for ${one.id}.`);
    const own = environmentOf(all, one.id);
    // Only variables of the template: one that is missing there must be missing here.
    const given = Object.fromEntries(Object.entries(local).filter(([name]) => name in own));
    return {
      name: one.id,
      file: bundleFile(handler.path),
      event: eventOf(one),
      env: { ...own, ...given, ...ofRuntime, LOG_LEVEL: 'WARN' },
    };
  });
  const [list] = routeCandidates;
  if (!list) throw new Error('There are no requests.');
  const empty: Candidate = {
    name: 'empty handler',
    file: join(import.meta.dirname, 'cold-start/empty.mjs'),
    event: '{}',
    env: {},
  };
  const bundled: readonly Candidate[] = [
    { ...list, name: 'one call with the SDK', file: await bundleOneUpdate(folder) },
    { ...list, name: 'list, empty catalog', file: await bundleListAlone(folder) },
    ...routeCandidates,
  ];
  const functions = [empty, ...bundled].map((one) => ({ ...one, seen: [] as Measured[] }));

  // The first round warms the caches of the machine.
  for (let round = 0; round <= Number(values.runs); round += 1) {
    for (const { file, event, env, seen } of functions) {
      const measured = await measure(file, event, env);
      if (round > 0) seen.push(measured);
    }
  }

  type Part = 'importMs' | 'firstMs' | 'totalMs' | 'cpuMs';
  const of = (part: Part, seen: readonly Measured[] = []): number => median(seen.map((one) => one[part]));
  const nothing = functions[0]?.seen;
  const columns = ['kB', 'import ms', 'first ms', 'total ms', 'of empty', 'cpu ms', 'of empty'];
  console.log(`\n${'function'.padEnd(22)}${columns.map((name) => name.padStart(11)).join('')}`);
  for (const { name, file, seen } of functions) {
    const row = [
      Math.ceil(statSync(file).size / 1000).toString(),
      of('importMs', seen).toFixed(1),
      of('firstMs', seen).toFixed(1),
      of('totalMs', seen).toFixed(1),
      (of('totalMs', seen) / of('totalMs', nothing)).toFixed(2),
      of('cpuMs', seen).toFixed(1),
      (of('cpuMs', seen) / of('cpuMs', nothing)).toFixed(2),
    ];
    console.log(`${name.padEnd(22)}${row.map((cell) => cell.padStart(11)).join('')}`);
  }
} finally {
  await directory.stop();
  rmSync(folder, { recursive: true, force: true });
}
