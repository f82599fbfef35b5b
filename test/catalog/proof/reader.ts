import type { ReadCatalog } from '#catalog/types.ts';
import { makeReplica } from '#data/catalog.ts';
import { storeSnapshot } from '#data/snapshots.ts';
import type { VirtualTime } from '#test/support/virtual-time.ts';
import type { KeptCursor } from '../comparing.ts';
import type { Random } from '../random.ts';

/** A process that answers lists. */
export class Reader {
  readonly name: string;
  /** Out of how many occasions to look it takes one. */
  readonly idleness: number;
  /** Cursors that it has handed out. */
  readonly kept: KeptCursor[] = [];
  readonly #replica: ReturnType<typeof makeReplica>;
  readonly #time: VirtualTime;
  readonly #skewMs: number;

  /** `wroteAt` says when this process has last written itself. */
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

  /** Its catalog as a request would get it. */
  async catalog(freshness: 'second' | 'now'): Promise<ReadCatalog> {
    return await this.#time.skewed(this.#skewMs, () => this.#replica(freshness));
  }

  /** Keeps its catalog for processes that begin, if it has one. */
  async snapshot(): Promise<boolean> {
    const state = this.#replica.state();
    return Number.isFinite(state.settled) && (await storeSnapshot(state)) !== undefined;
  }

  /** Remembers a cursor for later, a few at most. */
  keep(cursor: KeptCursor | undefined, random: Random): void {
    if (!cursor) return;
    if (this.kept.length < 20) this.kept.push(cursor);
    else this.kept[random.below(20)] = cursor;
  }
}
