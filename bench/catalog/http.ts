import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util';
import { members } from '../peers/directory.ts';
import { Connection, readWhenReady } from './connection.ts';
import { distinctKinds } from './distinct-queries.ts';
import { type Measured, startWorker, type Worker } from './measuring.ts';
import { type RequestKind, requestKinds } from './request-kinds.ts';
import { judge, type Results, show } from './results.ts';
import { highLimits, NotInstalled, type RunningServer, startBareServer, startPeer, startService } from './servers.ts';
import { inTemporaryFolder } from './temporary.ts';
import { startVoting } from './voting.ts';

const HELP = `Measures lists and single reads through the handlers and over HTTP, compared with servers on PostgreSQL and SQLite
and with a server that returns fixed bytes.

  node bench/catalog/http.ts [--listings 50000] [--rounds 3] [--quick] [--only text] [--without peer]
                             [--distinct 20000] [--votes 1] [--seed 1] [--fields]

  --listings  number of listings (default 50000)
  --rounds    how often each kind of request is measured; a round includes all servers (default 3)
  --fields    define ten fields, and measure their filters, facets and sorts too
  --distinct  number of distinct queries, of all kinds (default 20000; 1200 with --quick)
  --quick     one short round, as a functional test
  --only      only the kinds of request whose name contains this text
  --without   omit postgresql, sqlite, supercluster, bare, handler, repeated or distinct queries; may be repeated
  --votes     votes per second in all servers during the measurement, through the API of the service (default 1); with 0
              the directory does not change and responses can be cached
  --seed      of the generated directory (default 1)

Two groups of lists are measured. Repeated queries come from a few dozen variants per kind, so that a server can respond
from a cache of responses. Distinct queries are those of visitors, crawlers and assistants: each is sent once before any of
its kind is sent again, so that a cache of responses does not help.

Before and after the measurement, every request is sent to all servers, and their responses must agree: the same complete
listings in the same order, with the same total and counts. Relevance is defined by each server in its own way (similarity of
trigrams and ts_rank in PostgreSQL, bm25 over trigrams and words in SQLite): the share of equal first results is printed.
Clusters are compared with supercluster, which keeps all points in memory. Measured per kind of request and server: median and 99th
percentile of sequential requests in milliseconds, and requests per second at a concurrency of 16. "handler" calls the
handlers with gateway events, without HTTP and with the settings of a function; for example, each request is counted in the
table individually.

Every server and the load generator are separate processes. Everything runs on the loopback interface with data in temporary
folders, which are deleted afterwards. PostgreSQL comes from the Debian package (apt-get install postgresql) and runs as an
unprivileged user; npm ci --prefix bench/peers installs the libraries of the peers. Servers that are not installed are
omitted.`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    distinct: { type: 'string' },
    fields: { type: 'boolean', default: false },
    listings: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '3' },
    votes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    without: { type: 'string', multiple: true, default: [] },
  },
});

const CONCURRENCY = 16;
/** With those of relevance, suggestions, clusters and fields. */
const DISTINCT_KINDS = 11;
/** Connections per server while responses are compared. */
const COMPARING = 4;
const READS = 64;
/** After this time every reader of the feed includes the last vote. */
const CAUGHT_UP_MS = 1500;
const spans = options.quick
  ? { warm: 100, sequential: 150, concurrency: 250 }
  : { warm: 400, sequential: 600, concurrency: 800 };

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Slugs of live listings, spread over the file. */
const someSlugs = async (listingsFile: string, size: number): Promise<string[]> => {
  const slugs: string[] = [];
  const step = Math.max(1, Math.floor(size / READS));
  let at = 0;
  for await (const line of createInterface({ input: createReadStream(listingsFile) })) {
    at += 1;
    if (slugs.length * step > at) continue;
    const { view } = JSON.parse(line) as { view: { slug: string; status: string; deleted_at: string | null } };
    if (view.status === 'live' && view.deleted_at === null) slugs.push(view.slug);
  }
  return slugs.slice(0, READS);
};

type Listing = Readonly<Record<string, unknown>>;

interface Body {
  readonly data: Listing | readonly Listing[];
  readonly meta?: { readonly nextCursor: string | null };
}

/** The members that the peers have. */
const partOf = (listing: Listing): Listing => Object.fromEntries(members.map((name) => [name, listing[name]]));

/** The part of a response that must agree: servers may have different cursors, but all or none have one. */
const comparablePart = (body: Buffer): unknown => {
  const { data, meta } = JSON.parse(body.toString('utf8')) as Body;
  return {
    data: Array.isArray(data) ? data.map(partOf) : partOf(data as Listing),
    ...(meta && { meta: { ...meta, nextCursor: meta.nextCursor !== null } }),
  };
};

const summarize = (response: unknown): string => {
  const { data, meta } = response as { data: unknown; meta?: unknown };
  const shown = Array.isArray(data) ? data.map(({ id }: { id: string }) => id) : data;
  return JSON.stringify({ meta, shown }).slice(0, 1500);
};

/** Sends all requests to all servers and compares the responses. @throws Error when responses differ. */
const compare = async (
  service: RunningServer,
  peers: readonly RunningServer[],
  selected: readonly RequestKind[],
): Promise<void> => {
  const differing: string[] = [];
  const remaining = selected.flatMap(({ paths }) => paths).values();
  const compareRemaining = async (): Promise<void> => {
    const connections = new Map([service, ...peers].map((one) => [one, new Connection(one.port)]));
    const of = async (one: RunningServer, path: string) =>
      comparablePart(await readWhenReady(connections.get(one) as Connection, path));
    for (const path of remaining) {
      const [expected, ...others] = await Promise.all([service, ...peers].map((one) => of(one, path)));
      for (const [position, found] of others.entries()) {
        if (isDeepStrictEqual(found, expected)) continue;
        const { name } = peers[position] as RunningServer;
        differing.push(`${path}\n  ${service.name} ${summarize(expected)}\n  ${name} ${summarize(found)}`);
      }
    }
    for (const connection of connections.values()) connection.close();
  };
  await Promise.all(Array.from({ length: COMPARING }, compareRemaining));
  if (differing.length > 0) {
    throw new Error(`${differing.length} responses differ:\n${differing.slice(0, 5).join('\n')}`);
  }
};

/** The share of searches whose first result is the same in the service and in a peer, in percent. */
const equalFirst = async (service: RunningServer, peer: RunningServer, paths: readonly string[]): Promise<number> => {
  const connections = [service, peer].map(({ port }) => new Connection(port));
  let equal = 0;
  for (const path of paths) {
    const first = await Promise.all(
      connections.map(async (connection) => {
        const { data } = JSON.parse((await readWhenReady(connection, path)).toString('utf8')) as { data: Listing[] };
        return data[0]?.id;
      }),
    );
    if (first[0] === first[1]) equal += 1;
  }
  for (const connection of connections) connection.close();
  return (equal * 100) / paths.length;
};

/** How many searches are compared by their first result, of each kind. */
const FIRST_RESULTS = 300;

/** The kinds that the server of fixed responses has. */
const fixedKinds: ReadonlySet<RequestKind['kind']> = new Set(['repeated', 'read']);

/** The responses of the service by path, for the server of fixed responses. */
const fixedResponses = async (
  { port }: RunningServer,
  selected: readonly RequestKind[],
): Promise<Record<string, string>> => {
  const connection = new Connection(port);
  const responses: Record<string, string> = {};
  for (const path of selected.flatMap(({ kind, paths }) => (fixedKinds.has(kind) ? paths : []))) {
    responses[path] = (await readWhenReady(connection, path)).toString('utf8');
  }
  connection.close();
  return responses;
};

/** A measured server, or the handlers in a separate process. */
interface Candidate {
  readonly name: string;
  readonly port: number;
  readonly worker: Worker;
}

const measure = async (
  candidates: readonly Candidate[],
  selected: readonly RequestKind[],
  rounds: number,
): Promise<Results> => {
  const results: Results = new Map();
  for (const { name, kind, paths, servers } of selected) {
    const taken = new Map<string, { sequential: Measured[]; concurrency: Measured[] }>();
    const sent = new Map<string, number>();
    const responding = candidates.filter((one) =>
      servers
        ? servers.includes(one.name)
        : one.name !== 'supercluster' && (one.name !== 'bare' || fixedKinds.has(kind)),
    );
    const run = async (one: Candidate, concurrency: number, milliseconds: number): Promise<Measured> => {
      // Continues where the server's previous measurement of this kind ended.
      const startAt = sent.get(one.name) ?? 0;
      const measured = await one.worker.measure({ port: one.port, paths, startAt, concurrency, milliseconds });
      sent.set(one.name, startAt + measured.times.length);
      return measured;
    };
    for (const candidate of responding) {
      taken.set(candidate.name, { sequential: [], concurrency: [] });
      await run(candidate, CONCURRENCY, spans.warm);
    }
    for (let round = 0; round < rounds; round += 1) {
      // Rotates the order, so that none is always the first after a pause.
      const offset = round % responding.length;
      for (const candidate of [...responding.slice(offset), ...responding.slice(0, offset)]) {
        const of = taken.get(candidate.name);
        of?.sequential.push(await run(candidate, 1, spans.sequential));
        of?.concurrency.push(await run(candidate, CONCURRENCY, spans.concurrency));
      }
    }
    results.set(name, { kind, candidates: taken });
    process.stderr.write('.');
  }
  process.stderr.write('\n');
  return results;
};

const main = (size: number): Promise<void> =>
  inTemporaryFolder('bench-catalog-', async (folder, onCleanup) => {
    const startAndRegister = async (server: Promise<RunningServer>): Promise<RunningServer> => {
      const running = await server;
      onCleanup(() => running.stop());
      return running;
    };
    const load = [
      here('load.ts'),
      '--folder',
      folder,
      '--listings',
      String(size),
      '--seed',
      options.seed,
      ...(options.fields ? ['--fields'] : []),
    ];
    console.log((await promisify(execFile)(process.execPath, load)).stdout.trim());
    const listingsFile = join(folder, 'listings.ndjson');
    const service = await startAndRegister(startService(join(folder, 'service')));
    // The first list loads the catalog from the table, which takes longer than a request may.
    const first = new Connection(service.port);
    await readWhenReady(first, '/api/projects');
    first.close();
    const peers: RunningServer[] = [];
    for (const peer of ['postgresql', 'sqlite', 'supercluster'] as const) {
      if (options.without.includes(peer)) continue;
      try {
        peers.push(await startAndRegister(startPeer(peer, listingsFile)));
      } catch (error) {
        if (!(error instanceof NotInstalled)) throw error;
        console.log(`${peer} is omitted. ${error.message}`);
      }
    }
    const slugs = await someSlugs(listingsFile, size);
    const distinct = Number(options.distinct ?? (options.quick ? 1200 : 20_000));
    const selected = [
      ...(options.without.includes('repeated') ? [] : requestKinds(size, slugs)),
      ...(options.without.includes('distinct')
        ? []
        : distinctKinds(size, Math.ceil(distinct / DISTINCT_KINDS), Number(options.seed), options.fields)),
    ].filter(({ name }) => name.includes(options.only));
    const databases = peers.filter(({ name }) => name !== 'supercluster');
    const comparable = selected.filter(({ kind }) => kind !== 'ranked' && kind !== 'clusters');
    await compare(service, databases, comparable);
    const compared = comparable.reduce((sum, { paths }) => sum + paths.length, 0);
    console.log(
      `${compared} requests to ${['service', ...databases.map(({ name }) => name)].join(', ')}: equal responses.`,
    );
    for (const { name, kind, paths, servers } of selected) {
      if (kind !== 'ranked' || servers) continue;
      for (const peer of databases) {
        const share = await equalFirst(service, peer, paths.slice(0, FIRST_RESULTS));
        console.log(`${name}: the first result equals that of ${peer.name} in ${share.toFixed(0)} % of searches.`);
      }
    }

    const responsesFile = join(folder, 'responses.json');
    await writeFile(responsesFile, JSON.stringify(await fixedResponses(service, selected)));
    const generator = await startWorker(here('load-generator.ts'));
    onCleanup(() => generator.stop());
    const candidates: Candidate[] = [service, ...peers].map(({ name, port }) => ({ name, port, worker: generator }));
    if (!options.without.includes('bare')) {
      const bare = await startAndRegister(startBareServer(responsesFile));
      candidates.push({ name: bare.name, port: bare.port, worker: generator });
    }
    if (!options.without.includes('handler')) {
      const env = { ...highLimits, LOG_LEVEL: 'WARN', DATA_DIR: join(folder, 'service') };
      const worker = await startWorker(here('in-process.ts'), env);
      onCleanup(() => worker.stop());
      candidates.push({ name: 'handler', port: 0, worker });
    }
    const voter = await startVoting(service, databases, slugs, Number(options.votes));
    onCleanup(() => voter.stop().catch(() => undefined));
    const results = await measure(candidates, selected, options.quick ? 1 : Number(options.rounds));
    const votes = await voter.stop();
    console.log(
      show(
        results,
        candidates.map(({ name }) => name),
      ),
    );
    console.log(judge(results, size));
    await wait(CAUGHT_UP_MS);
    await compare(service, databases, comparable);
    console.log(`After ${votes} votes: equal responses.`);
  });

if (options.help) console.log(HELP);
else await main(Number(options.listings));
