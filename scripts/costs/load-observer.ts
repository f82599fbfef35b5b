import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { tiers } from '#contract/route.ts';
import { handlerIdOf, routes } from '#contract/table.ts';
import { type ImportHandler, importHandler } from '#local/handlers.ts';
import { type LocalServer, startLocalServer } from '#local/server.ts';
import { dynamo, dynamoWithoutRetries } from '#platform/dynamo.ts';
import { importListings, send } from '../../bench/service.ts';
import { type SampleRequest, topRoutes } from './top-routes.ts';

export interface Usage {
  runs: number;
  /** Calls to the table. */
  calls: number;
  /** Read units: 4 KB each, half a unit for an eventually consistent read. */
  reads: number;
  /** Write units: 1 KB each, doubled in a transaction, plus those of each index. */
  writes: number;
}

/** The consumption of one request, including the functions that it triggers. */
export interface Observation {
  readonly sample: SampleRequest;
  /** Size of the response body in bytes, uncompressed and with gzip. */
  readonly bytes: number;
  readonly gzipBytes: number;
  /** Consumption of the route's function. */
  readonly own: Usage;
  /** Consumption of the triggered functions (publisher and subscribers) by id. */
  readonly behind: ReadonlyMap<string, Usage>;
  readonly events: number;
  readonly mails: number;
}

/** Number of listings in the measured directory. */
export const LISTINGS = 1000;

interface Sampling {
  /** Measured requests per route; the median counts. */
  readonly tries: number;
  /** Time without activity after which a request counts as complete, in milliseconds. */
  readonly quietMs: number;
  /** Pause after the import, in milliseconds. */
  readonly settleMs: number;
}

/** `settleMs` exceeds the overlap window of the feed, so that lists do not read the imported listings again. */
const DEFAULT_SAMPLING: Sampling = { tries: 3, quietMs: 1100, settleMs: 66_000 };

const none = (): Usage => ({ runs: 0, calls: 0, reads: 0, writes: 0 });

/** Records the consumption of each function by id. */
class Meter {
  readonly #running = new AsyncLocalStorage<string>();
  #usage = new Map<string, Usage>();
  #changedAt = performance.now();

  readonly importHandler: ImportHandler = async (id) => {
    const handler = await importHandler(id);
    return (event, context) =>
      this.#running.run(id, async () => {
        this.#of(id).runs += 1;
        try {
          return await handler(event, context);
        } finally {
          this.#changedAt = performance.now();
        }
      });
  };

  #of(id: string): Usage {
    this.#changedAt = performance.now();
    const usage = this.#usage.get(id) ?? none();
    this.#usage.set(id, usage);
    return usage;
  }

  /** Requests the consumed capacity with each call to the table. */
  attach(): void {
    for (const client of [dynamo(), dynamoWithoutRetries()]) this.#attachTo(client);
  }

  #attachTo({ middlewareStack }: ReturnType<typeof dynamo>): void {
    middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'INDEXES' } });
          const id = this.#running.getStore();
          if (id === undefined) return result;
          const usage = this.#of(id);
          usage.calls += 1;
          const { ConsumedCapacity: consumed } = result.output as { ConsumedCapacity?: unknown };
          for (const { CapacityUnits = 0, WriteCapacityUnits } of [consumed ?? []].flat() as Capacity[]) {
            const isWrite = WriteCapacityUnits !== undefined || !READS.test(String(commandName));
            usage[isWrite ? 'writes' : 'reads'] += CapacityUnits;
          }
          return result;
        },
      { step: 'initialize' },
    );
  }

  /** Returns the consumption since the last call. */
  take(): Map<string, Usage> {
    const taken = this.#usage;
    this.#usage = new Map();
    return taken;
  }

  /** Waits until no function has been active for `ms` milliseconds. */
  async waitUntilQuiet(ms: number): Promise<void> {
    while (performance.now() - this.#changedAt < ms) await wait(50);
  }
}

/** Names of the commands that read. */
const READS = /Get|Query/;

interface Capacity {
  readonly CapacityUnits?: number;
  readonly WriteCapacityUnits?: number;
}

const fillIn = <T>(value: T, slug: string, n: number): T =>
  JSON.parse(JSON.stringify(value).replaceAll('{project}', slug).replaceAll('{n}', String(n))) as T;

const medianOf = (all: readonly Usage[]): Usage =>
  all.toSorted((a, b) => a.reads + a.writes - b.reads - b.writes)[Math.floor(all.length / 2)] ?? none();

const LISTED_MAX = 10_000;

const countEvents = ({ bus }: LocalServer): number => bus.events({ limit: LISTED_MAX, includeTasks: true }).length;

let requestCount = 0;

const observe = async (
  server: LocalServer,
  meter: Meter,
  sample: SampleRequest,
  token: string,
  slugs: readonly string[],
  { tries, quietMs }: Sampling,
): Promise<Observation> => {
  const handlerId = handlerIdOf(routes.find(({ id }) => id === sample.route) ?? { id: sample.route });
  const own: Usage[] = [];
  const behind = new Map<string, Usage>();
  let bytes = 0;
  let gzipBytes = 0;
  let events = 0;
  let mails = 0;
  // The first request is not counted, because it fills caches. Each request uses another listing.
  for (let number = 0; number <= tries; number += 1) {
    requestCount += 1;
    const { method, path, body, signedIn } = fillIn(sample, slugs[requestCount % slugs.length] ?? '', requestCount);
    const before = { events: countEvents(server), mails: server.mail.inbox(LISTED_MAX).length };
    await meter.waitUntilQuiet(quietMs);
    meter.take();
    const { status, text } = await send(server.port, {
      method,
      path,
      ...(signedIn && { token }),
      ...(body && { body: JSON.stringify(body) }),
    });
    if (status >= 300) throw new Error(`${method} ${path} returned ${status}: ${text.slice(0, 300)}`);
    await meter.waitUntilQuiet(quietMs);
    const used = meter.take();
    if (number === 0) continue;
    own.push(used.get(handlerId) ?? none());
    used.delete(handlerId);
    if (number < tries) continue;
    for (const [id, usage] of used) behind.set(id, usage);
    bytes = Buffer.byteLength(text);
    gzipBytes = gzipSync(text).length;
    events = countEvents(server) - before.events;
    mails = server.mail.inbox(LISTED_MAX).length - before.mails;
  }
  return { sample, bytes, gzipBytes, own: medianOf(own), behind, events, mails };
};

/**
 * Sends requests to the most used routes of a local server and records the capacity that DynamoDB reports for each.
 * @param report receives lines about the progress.
 */
export const observeAll = async (
  report: (line: string) => void,
  samples: readonly SampleRequest[] = topRoutes,
  sampling: Sampling = DEFAULT_SAMPLING,
): Promise<Observation[]> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'costs-'));
  const meter = new Meter();
  const server = await startLocalServer({
    port: 0,
    dataDir,
    importHandler: meter.importHandler,
    env: {
      LOG_LEVEL: 'ERROR',
      // Each request writes its rate counter, as deployed.
      RATE_COUNTER: 'table',
      ...Object.fromEntries(tiers.map((tier) => [`RATE_LIMIT_${tier.toUpperCase()}`, '1000000/60'])),
    },
  });
  try {
    meter.attach();
    const tokenOf = async (claims: object): Promise<string> => {
      const { text } = await send(server.port, { method: 'POST', path: '/_local/token', body: JSON.stringify(claims) });
      return (JSON.parse(text) as { access_token: string }).access_token;
    };
    const adminToken = await tokenOf({ email: 'costs@example.com', admin: true });
    const token = await tokenOf({ email: 'reader@example.com' });
    await importListings({ port: server.port, adminToken } as Parameters<typeof importListings>[0], LISTINGS);
    const first = await send(server.port, { path: '/api/projects?limit=100' });
    const slugs = (JSON.parse(first.text) as { data: { slug: string }[] }).data.map(({ slug }) => slug);
    report(`waiting ${sampling.settleMs / 1000} s until the feed's overlap window has passed`);
    await wait(sampling.settleMs);
    const observations: Observation[] = [];
    for (const sample of samples) {
      report(`${sample.route}: ${sample.method} ${sample.path}`);
      observations.push(await observe(server, meter, sample, token, slugs, sampling));
    }
    return observations;
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
};
