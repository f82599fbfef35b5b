import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { tiers } from '#contract/route.ts';
import { doorIdOf, routes } from '#contract/table.ts';
import { type ImportDoor, importDoor } from '#local/doors.ts';
import { startWorld, type World } from '#local/world.ts';
import { dynamo } from '#platform/dynamo.ts';
import { importListings, send } from '../../bench/service.ts';
import { mostUsed, type SampleRequest } from './most-used.ts';

/** What the runs of one function have used. */
export interface Usage {
  runs: number;
  /** Calls to the table. */
  calls: number;
  /** Read units: 4 KB each, half of one where a read need not be consistent. */
  reads: number;
  /** Write units: 1 KB each, two of them in a transaction, and again for each index that the item stands in. */
  writes: number;
}

/** What one request of a route uses, by itself and behind it. */
export interface Observation {
  readonly sample: SampleRequest;
  /** The body of the answer, in bytes: as it is, and as callers get it who take gzip. */
  readonly bytes: number;
  readonly gzipBytes: number;
  /** The function of the route. */
  readonly own: Usage;
  /** The functions that its change has started, by their ids: publisher and subscribers. */
  readonly behind: ReadonlyMap<string, Usage>;
  readonly events: number;
  readonly mails: number;
}

/** What the directory is made of that is asked. */
export const LISTINGS = 1000;

/** How carefully is looked. */
export interface Patience {
  /** Requests of a route that are looked at; the middle one counts. */
  readonly tries: number;
  /** How long nothing has to run before a request counts as done with, in milliseconds. */
  readonly quietMs: number;
  /** How long is waited after the import, in milliseconds. */
  readonly settleMs: number;
}

/** Longer than any look at the feed goes back: what was imported should not be read again by the lists that are asked. */
const CAREFULLY: Patience = { tries: 3, quietMs: 1000, settleMs: 66_000 };

const none = (): Usage => ({ runs: 0, calls: 0, reads: 0, writes: 0 });

/** Notes what the functions use, each under its id. */
class Meter {
  readonly #running = new AsyncLocalStorage<string>();
  #usage = new Map<string, Usage>();
  #changedAt = performance.now();

  readonly importDoor: ImportDoor = async (id) => {
    const handler = await importDoor(id);
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

  /** Asks the table with each call what it has cost. */
  attach(): void {
    dynamo().middlewareStack.add(
      (next) => async (args) => {
        const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'INDEXES' } });
        const id = this.#running.getStore();
        if (id === undefined) return answer;
        const usage = this.#of(id);
        usage.calls += 1;
        const { ConsumedCapacity: consumed } = answer.output as { ConsumedCapacity?: unknown };
        for (const { CapacityUnits = 0, WriteCapacityUnits } of [consumed ?? []].flat() as Capacity[]) {
          const isWrite =
            WriteCapacityUnits !== undefined ||
            !('ConsistentRead' in args.input || 'KeyConditionExpression' in args.input || 'RequestItems' in args.input);
          usage[isWrite ? 'writes' : 'reads'] += CapacityUnits;
        }
        return answer;
      },
      { step: 'initialize', name: 'meter' },
    );
  }

  /** What was used since the last time. */
  take(): Map<string, Usage> {
    const taken = this.#usage;
    this.#usage = new Map();
    return taken;
  }

  /** Waits until nothing has run for a while. */
  async quiet(ms: number): Promise<void> {
    while (performance.now() - this.#changedAt < ms) await wait(50);
  }
}

interface Capacity {
  readonly CapacityUnits?: number;
  readonly WriteCapacityUnits?: number;
}

const filled = <T>(value: T, slug: string, n: number): T =>
  JSON.parse(JSON.stringify(value).replaceAll('{project}', slug).replaceAll('{n}', String(n))) as T;

const middle = (all: readonly Usage[]): Usage =>
  all.toSorted((a, b) => a.reads + a.writes - b.reads - b.writes)[Math.floor(all.length / 2)] ?? none();

const MANY = 10_000;

const carriedBy = ({ bus }: World): number => bus.carried({ limit: MANY, tasksToo: true }).length;

let asked = 0;

const observe = async (
  world: World,
  meter: Meter,
  sample: SampleRequest,
  token: string,
  slugs: readonly string[],
  { tries, quietMs }: Patience,
): Promise<Observation> => {
  const door = doorIdOf(routes.find(({ id }) => id === sample.route) ?? { id: sample.route });
  const own: Usage[] = [];
  const behind = new Map<string, Usage>();
  let bytes = 0;
  let gzipBytes = 0;
  let events = 0;
  let mails = 0;
  // The first one pays for what a process reads once; each tries another listing.
  for (let number = 0; number <= tries; number += 1) {
    asked += 1;
    const { method, path, body, signedIn } = filled(sample, slugs[asked % slugs.length] ?? '', asked);
    const before = { events: carriedBy(world), mails: world.mail.inbox(MANY).length };
    await meter.quiet(quietMs);
    meter.take();
    const { status, text } = await send(world.port, {
      method,
      path,
      ...(signedIn && { token }),
      ...(body && { body: JSON.stringify(body) }),
    });
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 300)}`);
    await meter.quiet(quietMs);
    const used = meter.take();
    if (number === 0) continue;
    own.push(used.get(door) ?? none());
    used.delete(door);
    if (number < tries) continue;
    for (const [id, usage] of used) behind.set(id, usage);
    bytes = Buffer.byteLength(text);
    gzipBytes = gzipSync(text).length;
    events = carriedBy(world) - before.events;
    mails = world.mail.inbox(MANY).length - before.mails;
  }
  return { sample, bytes, gzipBytes, own: middle(own), behind, events, mails };
};

/**
 * Asks the most used routes of a service as it is deployed, but for its size, and notes what the table says each request has cost.
 * @param tell hears of the progress.
 */
export const observeAll = async (
  tell: (line: string) => void,
  samples: readonly SampleRequest[] = mostUsed,
  patience: Patience = CAREFULLY,
): Promise<Observation[]> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'costs-'));
  const meter = new Meter();
  const world = await startWorld({
    port: 0,
    dataDir,
    importDoor: meter.importDoor,
    env: {
      LOG_LEVEL: 'ERROR',
      // Every request is a write, as it is where many processes count.
      RATE_LEASE_MAX: '1',
      ...Object.fromEntries(tiers.map((tier) => [`RATE_LIMIT_${tier.toUpperCase()}`, '1000000/60'])),
    },
  });
  try {
    meter.attach();
    const tokenOf = async (claims: object): Promise<string> => {
      const { text } = await send(world.port, { method: 'POST', path: '/_local/token', body: JSON.stringify(claims) });
      return (JSON.parse(text) as { access_token: string }).access_token;
    };
    const adminToken = await tokenOf({ email: 'costs@example.com', admin: true });
    const token = await tokenOf({ email: 'reader@example.com' });
    await importListings({ port: world.port, adminToken } as Parameters<typeof importListings>[0], LISTINGS);
    const first = await send(world.port, { path: '/api/projects?limit=20' });
    const slugs = (JSON.parse(first.text) as { data: { slug: string }[] }).data.map(({ slug }) => slug);
    tell(`waiting ${patience.settleMs / 1000} s until the import is no news any more`);
    await wait(patience.settleMs);
    const observations: Observation[] = [];
    for (const sample of samples) {
      tell(`${sample.route}: ${sample.method} ${sample.path}`);
      observations.push(await observe(world, meter, sample, token, slugs, patience));
    }
    return observations;
  } finally {
    await world.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
};
