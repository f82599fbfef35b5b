import { expect, it } from 'vitest';
import type { ReadCatalog } from '#catalog/types.ts';
import { makeReplica } from '#data/catalog.ts';
import { storeSnapshot } from '#data/snapshots.ts';
import { lastWriteAt } from '#data/write.ts';
import { noCounts, unsetFields } from '#model/project.ts';
import { type BareTable, startBareTable } from '#test/support/bare-table.ts';
import { firstSeed } from '#test/support/sample.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';
import { compareKept, compareOthers, compareQuery, type KeptCursor, keepCursor } from './comparing.ts';
import { FeedTampering } from './consistency/feed-tampering.ts';
import { type HeldWrite, RequestBarrier } from './consistency/request-barrier.ts';
import { isMalformed, Writers } from './consistency/writers.ts';
import { Random } from './random.ts';
import { Reference } from './reference.ts';
import { FeedSimulation } from './simulation.ts';

/**
 * Lists agree with the table: random changes are written to the real engine through the service's data layer, several
 * readers with different clocks and intervals follow the feed, and each result is compared with a full read of the table.
 * Time is virtual; the same seed reproduces the same run. The first difference is reported with seed, step and reader.
 */

const QUERIES = Number(process.env.CATALOG_QUERIES ?? 12_000);
/** The approximate number of projects. */
const SIZE = 90;

type StoredItem = Readonly<Record<string, unknown>>;

const NOT_IN_RECORD = new Set(['pk', 'sk', 'type', 'feed_pk', 'feed_sk', 'collection_pk', 'collection_sk', 'closed']);

/** An item without its keys, its type and the mark of closed counters. */
const recordOf = (item: StoredItem): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !NOT_IN_RECORD.has(name)));

/** The expected state of every catalog, from a full read of the table. */
const referenceOf = (items: readonly StoredItem[]): Reference => {
  const reference = new Reference();
  for (const item of items.filter((one) => !isMalformed(one))) {
    // Fields without a value have no attribute.
    if (item.type === 'project') {
      reference.apply([{ kind: 'project', project: { ...unsetFields, ...recordOf(item) } as never }]);
    }
    if (item.type === 'category') reference.apply([{ kind: 'category', category: recordOf(item) as never }]);
    if (item.type === 'counts') {
      const { project_id, ...record } = recordOf(item);
      // Attributes of counters that never changed are absent.
      const whole = { ...noCounts, ...record };
      reference.apply([{ kind: 'counts', projectId: String(project_id), counts: whole }]);
    }
  }
  return reference;
};

/** A process that serves lists. */
class Reader {
  readonly name: string;
  /** It reads in one of so many rounds. */
  readonly idleness: number;
  /** Cursors that it returned. */
  readonly kept: KeptCursor[] = [];
  readonly #replica: ReturnType<typeof makeReplica>;
  readonly #time: VirtualTime;
  readonly #skewMs: number;

  constructor(
    name: string,
    {
      idleness = 1,
      skewMs = 0,
      wroteAt = () => Number.NEGATIVE_INFINITY,
      time,
    }: {
      idleness?: number;
      skewMs?: number;
      wroteAt?: () => number;
      time: VirtualTime;
    },
  ) {
    this.name = name;
    this.idleness = idleness;
    this.#skewMs = skewMs;
    this.#time = time;
    this.#replica = makeReplica(wroteAt);
  }

  async catalog(freshness: 'second' | 'now'): Promise<ReadCatalog> {
    return await this.#time.skewed(this.#skewMs, () => this.#replica(freshness));
  }

  /** Stores a snapshot of its catalog, if it has one. */
  async snapshot(): Promise<void> {
    const state = this.#replica.state();
    if (Number.isFinite(state.completeUntil)) await storeSnapshot(state);
  }

  /** Keeps at most 20 cursors. */
  keep(cursor: KeptCursor | undefined, random: Random): void {
    if (!cursor) return;
    if (this.kept.length < 20) this.kept.push(cursor);
    else this.kept[random.below(20)] = cursor;
  }
}

const SECOND = 1000;
const HOUR = 3600 * SECOND;

// The guarantees of the replica. A change whose stamp is behind the watermark by less than the narrow overlap is
// visible after the next refresh. If by less than the wide overlap minus the interval of wide refreshes, it is visible
// after that interval.
const PROMPT_SKEW_MS = 900;
/** A clock that is ahead, by any time, must not hide the changes of other writers. */
const AHEAD_MS = 60 * SECOND;
const LATE_SKEW_MS = 6 * SECOND;
const STALL_MAX_MS = 10 * SECOND;
const UNTIL_WIDE_MS = 5.1 * SECOND;

const QUERIES_PER_COMPARISON = 20;

const FEED_SHARDS = 4;

class Simulation {
  readonly #random: Random;
  readonly #time: VirtualTime;
  readonly #barrier: RequestBarrier;
  readonly #feed: FeedSimulation;
  readonly #writers: Writers;
  readonly #readers: Reader[];
  readonly #table: BareTable;
  #coldStarts = 0;
  #compared = 0;
  #step = 0;

  constructor(time: VirtualTime, barrier: RequestBarrier, table: BareTable) {
    this.#time = time;
    this.#barrier = barrier;
    this.#random = new Random(firstSeed);
    this.#feed = new FeedSimulation(this.#random, SIZE);
    this.#writers = new Writers(this.#random, this.#feed, SIZE);
    this.#table = table;
    this.#readers = [
      // The writing process sees its own changes immediately.
      new Reader('writer', { wroteAt: lastWriteAt, time }),
      new Reader('neighbour', { skewMs: PROMPT_SKEW_MS, time }),
      new Reader('slow clock', { skewMs: -PROMPT_SKEW_MS, idleness: 2, time }),
      new Reader('rarely used', { idleness: 8, time }),
      new Reader('mostly idle', { idleness: 25, time }),
    ];
  }

  /** Compares so many queries. @returns the number of processes that started while data existed. */
  async run(queries: number): Promise<number> {
    const echo = new FeedTampering(this.#random, this.#time, this.#writers);
    this.#barrier.tamper = (items) => echo.tamperWith(items);
    await this.#writers.createUsers();
    for (let created = 0; created < SIZE * 2; created += 1) {
      await this.#change(PROMPT_SKEW_MS);
      this.#time.advance(this.#random.below(SECOND));
    }
    for (; this.#compared < queries; this.#step += 1) await this.#round();
    return this.#coldStarts;
  }

  async #round(): Promise<void> {
    const random = this.#random;
    if (random.chance(0.3)) await this.#lateChanges();
    else await this.#promptChanges();
    const reference = referenceOf(await this.#table.scan());
    for (const reader of this.#readers) {
      if (random.below(reader.idleness) === 0) await this.#compare(reader, reference);
    }
    // At least once, also in a short run.
    if (random.chance(0.15) || this.#step === 1) {
      this.#coldStarts += 1;
      await this.#compare(new Reader('cold', { time: this.#time }), reference);
    }
    await this.#passTime();
  }

  /** Advances the time between two rounds: usually by seconds, sometimes by minutes, rarely by 13 or 36 hours. */
  async #passTime(): Promise<void> {
    const random = this.#random;
    // The reader may have refreshed long ago: a process that starts from its snapshot reads the rest from the feed.
    if (random.chance(0.1)) await random.pick(this.#readers).snapshot();
    this.#time.advance(random.below(2 * SECOND));
    if (random.chance(0.05)) this.#time.advance(random.below(300 * SECOND));
    if (random.chance(0.03)) {
      this.#time.advance(random.pick([13, 36]) * HOUR);
      await this.#table.sweep();
    }
  }

  /** Changes that every reader must see after its next refresh. */
  async #promptChanges(): Promise<void> {
    for (let rest = this.#random.below(5); rest >= 0; rest -= 1) {
      await this.#change(PROMPT_SKEW_MS, this.#random.chance(0.1) ? AHEAD_MS : 0);
      this.#time.advance(this.#random.below(300));
      if (this.#random.chance(0.3)) await this.#readBetween();
    }
  }

  /** Changes by writers with large clock skew, some of which stall between their stamp and their commit. */
  async #lateChanges(): Promise<void> {
    const random = this.#random;
    const held: HeldWrite[] = [];
    const deadline = this.#time.now + STALL_MAX_MS;
    for (let rest = 1 + random.below(5); rest >= 0; rest -= 1) {
      if (random.chance(0.4)) held.push(await this.#heldChange());
      else await this.#change(LATE_SKEW_MS);
      this.#time.advance(random.below((deadline - this.#time.now) / 2));
      if (random.chance(0.5)) await this.#readBetween();
    }
    while (held.length > 0) await held.splice(random.below(held.length), 1)[0]?.release();
    if (random.chance(0.5)) await this.#readBetween();
    this.#time.advance(UNTIL_WIDE_MS);
  }

  /** Any skew up to a maximum, often the maximum itself, at which a guarantee fails first. */
  #skew(maxMs: number): number {
    const random = this.#random;
    return random.chance(0.3) ? random.pick([-maxMs, maxMs]) : Math.round((2 * random.next() - 1) * maxMs);
  }

  async #change(skewMaxMs: number, aheadMs = 0): Promise<void> {
    await this.#time.skewed(this.#skew(skewMaxMs) + aheadMs, this.#writers.next());
  }

  async #heldChange(): Promise<HeldWrite> {
    const change = this.#writers.next();
    return await this.#time.skewed(this.#skew(LATE_SKEW_MS), () => this.#barrier.hold(change));
  }

  /** Lets a reader refresh and take a cursor at a time when the visibility of the latest changes is not guaranteed. */
  async #readBetween(): Promise<void> {
    const reader = this.#random.pick(this.#readers.slice(0, 3));
    const catalog = await reader.catalog('now');
    reader.keep(keepCursor(catalog, this.#feed.query()), this.#random);
  }

  async #compare(reader: Reader, reference: Reference): Promise<void> {
    const random = this.#random;
    const where = `seed ${firstSeed}, step ${this.#step}, ${reader.name}`;
    const own = reader.name === 'writer';
    const catalog = await reader.catalog(own ? 'second' : 'now');
    compareOthers(catalog, reference, random, random.pick(this.#writers.ids), where);
    for (const until = this.#compared + QUERIES_PER_COMPARISON; this.#compared < until; ) {
      const query = this.#feed.query();
      this.#compared += compareQuery(catalog, reference, query, where);
      if (random.chance(0.2)) reader.keep(keepCursor(catalog, query), random);
    }
    if (reader.kept.length === 0) return;
    compareKept(catalog, reference, random.pick(reader.kept), where);
    this.#compared += 1;
  }
}

it(`lists answer ${QUERIES} queries like a full read of the table, whatever is written (seed ${firstSeed})`, {
  timeout: 3_600_000,
}, async () => {
  const table = await startBareTable({ FEED_SHARDS: String(FEED_SHARDS) });
  const barrier = new RequestBarrier();
  const time = new VirtualTime('2026-03-01T00:00:00.000Z');
  try {
    expect(await new Simulation(time, barrier, table).run(QUERIES)).toBeGreaterThan(0);
  } finally {
    time.restore();
    barrier.restore();
    await table.stop();
  }
});
