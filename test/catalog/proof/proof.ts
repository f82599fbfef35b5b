import { lastWriteAt } from '#data/write.ts';
import { compareKept, compareOthers, compareQuery, keepCursor } from '#test/catalog/comparing.ts';
import { Random } from '#test/catalog/random.ts';
import type { Reference } from '#test/catalog/reference.ts';
import { FeedSimulation } from '#test/catalog/simulation.ts';
import { type BareTable, startBareTable } from '#test/support/bare-table.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';
import { FeedTampering } from './feed-tampering.ts';
import { Reader } from './reader.ts';
import { type HeldWrite, RequestBarrier } from './request-barrier.ts';
import { referenceOf } from './table-reference.ts';
import { isMalformed, Writers } from './writers.ts';

interface ProofOptions {
  readonly seed: number;
  /** The number of compared queries. */
  readonly queries: number;
  /** The approximate number of projects. */
  readonly size?: number;
}

/** Statistics of a proof. */
interface ProofTally {
  readonly queries: number;
  readonly changes: number;
  /** The number of refreshes from the feed, of all readers. */
  readonly refreshes: number;
  readonly coldStarts: number;
  /** The number of stored snapshots. */
  readonly snapshots: number;
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

/** Some entries are also written to the first partition, as by a release that knows no other. */
const FEED_SHARDS = 4;

class Proof {
  readonly #options: Required<ProofOptions>;
  readonly #random: Random;
  readonly #time: VirtualTime;
  readonly #barrier: RequestBarrier;
  readonly #feed: FeedSimulation;
  readonly #writers: Writers;
  readonly #readers: Reader[];
  readonly #table: BareTable;
  #coldStarts = 0;
  #snapshots = 0;
  #compared = 0;
  #step = 0;

  constructor(options: Required<ProofOptions>, time: VirtualTime, barrier: RequestBarrier, table: BareTable) {
    this.#options = options;
    this.#time = time;
    this.#barrier = barrier;
    this.#random = new Random(options.seed);
    this.#feed = new FeedSimulation(this.#random, options.size);
    this.#writers = new Writers(this.#random, this.#feed, options.size);
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

  async run(): Promise<ProofTally> {
    const echo = new FeedTampering(this.#random, this.#time, this.#writers);
    this.#barrier.tamper = (items) => echo.tamperWith(items);
    await this.#writers.createUsers();
    for (let created = 0; created < this.#options.size * 2; created += 1) {
      await this.#change(PROMPT_SKEW_MS);
      this.#time.advance(this.#random.below(SECOND));
    }
    for (; this.#compared < this.#options.queries; this.#step += 1) await this.#round();
    const { done } = this.#writers;
    return {
      queries: this.#compared,
      changes: done,
      refreshes: this.#barrier.refreshes,
      coldStarts: this.#coldStarts,
      snapshots: this.#snapshots,
    };
  }

  async #round(): Promise<void> {
    const random = this.#random;
    if (random.chance(0.3)) await this.#lateChanges();
    else await this.#promptChanges();
    const reference = referenceOf(await this.#table.scan(), isMalformed);
    for (const reader of this.#readers) {
      if (random.below(reader.idleness) === 0) await this.#compare(reader, reference);
    }
    // At least once, also in a short proof.
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
    if (random.chance(0.1) && (await random.pick(this.#readers).snapshot())) this.#snapshots += 1;
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
    const where = `seed ${this.#options.seed}, step ${this.#step}, ${reader.name}`;
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

/**
 * Proves that lists agree with the table: random changes are written to the real engine through the service's data
 * layer, several readers with different clocks and intervals follow the feed, and each result is compared with a full
 * read of the table. Time is virtual; the same seed reproduces the same run.
 * @throws at the first difference, with seed, step and reader.
 */
export const prove = async ({ seed, queries, size = 90 }: ProofOptions): Promise<ProofTally> => {
  const table = await startBareTable({ FEED_SHARDS: String(FEED_SHARDS) });
  const barrier = new RequestBarrier();
  const time = new VirtualTime('2026-03-01T00:00:00.000Z');
  try {
    return await new Proof({ seed, queries, size }, time, barrier, table).run();
  } finally {
    time.restore();
    barrier.restore();
    await table.stop();
  }
};
