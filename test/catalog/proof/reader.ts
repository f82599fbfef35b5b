import type { ReadCatalog } from '#catalog/types.ts';
import { makeReplica } from '#data/catalog.ts';
import { storeSnapshot } from '#data/snapshots.ts';
import type { KeptCursor } from '#test/catalog/comparing.ts';
import type { Random } from '#test/catalog/random.ts';
import type { VirtualTime } from '#test/support/virtual-time.ts';

/** A process that serves lists. */
export class Reader {
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

  /** Stores a snapshot of its catalog. @returns whether it could. */
  async snapshot(): Promise<boolean> {
    const state = this.#replica.state();
    return Number.isFinite(state.completeUntil) && (await storeSnapshot(state)) !== undefined;
  }

  /** Keeps at most 20 cursors. */
  keep(cursor: KeptCursor | undefined, random: Random): void {
    if (!cursor) return;
    if (this.kept.length < 20) this.kept.push(cursor);
    else this.kept[random.below(20)] = cursor;
  }
}
