import { lastWriteAt } from '#data/write-marks.ts';
import { type BareTable, startBareTable } from '#test/support/bare-table.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';
import { compareKept, compareOthers, compareQuery, keepCursor } from '../comparing.ts';
import { Random } from '../random.ts';
import type { Reference } from '../reference.ts';
import { World } from '../world.ts';
import { Echo } from './echo.ts';
import { Reader } from './reader.ts';
import { type HeldWrite, RequestGate } from './request-gate.ts';
import { referenceOf } from './table-reference.ts';
import { isPoisoned, Writers } from './writers.ts';

/**
 * The proof that lists never lie: random changes go through the real engine by the ways in which the service writes, readers
 * of every habit follow the feed, and each answer is compared with what a full read of the table says.
 */

/** How far the proof goes, and from where. */
export interface ProofOptions {
  readonly seed: number;
  /** How many queries are compared. */
  readonly queries: number;
  /** The number of projects around which the table settles. */
  readonly size?: number;
}

/** What was done. */
export interface ProofTally {
  readonly queries: number;
  readonly changes: number;
  /** How often a reader asked the feed. */
  readonly looks: number;
  /** How many processes started with nothing. */
  readonly coldStarts: number;
  /** How many snapshots they could start with. */
  readonly snapshots: number;
}

const SECOND = 1000;
const HOUR = 3600 * SECOND;

// What the loader promises. Stamps of changes may be behind those that were seen by less than the narrow overlap: such
// a change is there at the next look. By less than the wide one, less the time between wide looks: it is there after that time.
const PROMPT_SKEW_MS = 900;
/** A clock may be ahead of all others by any time, and still keep nobody's changes from anybody. */
const AHEAD_MS = 60 * SECOND;
const LATE_SKEW_MS = 6 * SECOND;
const STALL_MAX_MS = 10 * SECOND;
const UNTIL_WIDE_MS = 5.1 * SECOND;

const QUERIES_PER_LOOK = 20;

class Proof {
  readonly #options: Required<ProofOptions>;
  readonly #random: Random;
  readonly #time: VirtualTime;
  readonly #gate: RequestGate;
  readonly #world: World;
  readonly #writers: Writers;
  readonly #readers: Reader[];
  readonly #table: BareTable;
  #coldStarts = 0;
  #snapshots = 0;
  #asked = 0;
  #step = 0;

  constructor(options: Required<ProofOptions>, time: VirtualTime, gate: RequestGate, table: BareTable) {
    this.#options = options;
    this.#time = time;
    this.#gate = gate;
    this.#random = new Random(options.seed);
    this.#world = new World(this.#random, options.size);
    this.#writers = new Writers(this.#random, this.#world, options.size);
    this.#table = table;
    this.#readers = [
      // The process that writes sees its own changes at once.
      new Reader('writer', { wroteAt: lastWriteAt, time }),
      new Reader('neighbour', { skewMs: PROMPT_SKEW_MS, time }),
      new Reader('slow clock', { skewMs: -PROMPT_SKEW_MS, idleness: 2, time }),
      new Reader('seldom asked', { idleness: 8, time }),
      new Reader('sleeper', { idleness: 25, time }),
    ];
  }

  async run(): Promise<ProofTally> {
    const echo = new Echo(this.#random, this.#time, this.#writers);
    this.#gate.tamper = (items) => echo.tampered(items);
    await this.#writers.begin();
    for (let made = 0; made < this.#options.size * 2; made += 1) {
      await this.#change(PROMPT_SKEW_MS);
      this.#time.advance(this.#random.below(SECOND));
    }
    for (; this.#asked < this.#options.queries; this.#step += 1) await this.#turn();
    const { done } = this.#writers;
    return {
      queries: this.#asked,
      changes: done,
      looks: this.#gate.looks,
      coldStarts: this.#coldStarts,
      snapshots: this.#snapshots,
    };
  }

  async #turn(): Promise<void> {
    const random = this.#random;
    if (random.chance(0.3)) await this.#lateChanges();
    else await this.#promptChanges();
    const reference = referenceOf(await this.#table.whole(), isPoisoned);
    for (const reader of this.#readers) {
      if (random.below(reader.idleness) === 0) await this.#compare(reader, reference);
    }
    if (random.chance(0.15)) {
      this.#coldStarts += 1;
      await this.#compare(new Reader('cold', { time: this.#time }), reference);
    }
    await this.#pass();
  }

  /** Between two turns it is mostly a moment, sometimes a night, and now and then a day and a half. */
  async #pass(): Promise<void> {
    const random = this.#random;
    // Whoever keeps his catalog may have looked just now or long ago; what he has missed comes from the feed.
    if (random.chance(0.1) && (await random.pick(this.#readers).snapshot())) this.#snapshots += 1;
    this.#time.advance(random.below(2 * SECOND));
    if (random.chance(0.05)) this.#time.advance(random.below(300 * SECOND));
    if (random.chance(0.03)) {
      this.#time.advance(random.pick([13, 36]) * HOUR);
      await this.#table.sweep();
    }
  }

  /** Changes that every reader has to know of at his next look. */
  async #promptChanges(): Promise<void> {
    for (let rest = this.#random.below(5); rest >= 0; rest -= 1) {
      await this.#change(PROMPT_SKEW_MS, this.#random.chance(0.1) ? AHEAD_MS : 0);
      this.#time.advance(this.#random.below(300));
      if (this.#random.chance(0.3)) await this.#glance();
    }
  }

  /** Changes by clocks that are far apart, and some that linger on their way to the table. */
  async #lateChanges(): Promise<void> {
    const random = this.#random;
    const held: HeldWrite[] = [];
    const deadline = this.#time.now + STALL_MAX_MS;
    for (let rest = 1 + random.below(5); rest >= 0; rest -= 1) {
      if (random.chance(0.4)) held.push(await this.#heldChange());
      else await this.#change(LATE_SKEW_MS);
      this.#time.advance(random.below((deadline - this.#time.now) / 2));
      if (random.chance(0.5)) await this.#glance();
    }
    while (held.length > 0) await held.splice(random.below(held.length), 1)[0]?.release();
    if (random.chance(0.5)) await this.#glance();
    this.#time.advance(UNTIL_WIDE_MS);
  }

  #skew(maxMs: number): number {
    return Math.round((2 * this.#random.next() - 1) * maxMs);
  }

  async #change(skewMaxMs: number, aheadMs = 0): Promise<void> {
    await this.#time.skewed(this.#skew(skewMaxMs) + aheadMs, this.#writers.next());
  }

  async #heldChange(): Promise<HeldWrite> {
    const change = this.#writers.next();
    return await this.#time.skewed(this.#skew(LATE_SKEW_MS), () => this.#gate.hold(change));
  }

  /** Somebody looks at a moment when nothing is promised about the newest changes. */
  async #glance(): Promise<void> {
    const reader = this.#random.pick(this.#readers.slice(0, 3));
    const catalog = await reader.catalog('now');
    reader.keep(keepCursor(catalog, this.#world.query()), this.#random);
  }

  async #compare(reader: Reader, reference: Reference): Promise<void> {
    const random = this.#random;
    const where = `seed ${this.#options.seed}, step ${this.#step}, ${reader.name}`;
    const own = reader.name === 'writer';
    const catalog = await reader.catalog(own ? 'second' : 'now');
    compareOthers(catalog, reference, random, random.pick(this.#writers.ids), where);
    for (const until = this.#asked + QUERIES_PER_LOOK; this.#asked < until; ) {
      const query = this.#world.query();
      this.#asked += compareQuery(catalog, reference, query, where);
      if (random.chance(0.2)) reader.keep(keepCursor(catalog, query), random);
    }
    if (reader.kept.length === 0) return;
    compareKept(catalog, reference, random.pick(reader.kept), where);
    this.#asked += 1;
  }
}

/**
 * Holds the catalogs of several processes against the table.
 * @throws at the first difference, with the seed, the step and the reader; the same seed comes to it again.
 */
export const prove = async ({ seed, queries, size = 90 }: ProofOptions): Promise<ProofTally> => {
  const table = await startBareTable();
  const gate = new RequestGate();
  const time = new VirtualTime('2026-03-01T00:00:00.000Z');
  try {
    return await new Proof({ seed, queries, size }, time, gate, table).run();
  } finally {
    time.restore();
    gate.restore();
    await table.stop();
  }
};
