import type { Random } from '#test/catalog/random.ts';
import type { VirtualTime } from '#test/support/virtual-time.ts';
import type { Writers } from './writers.ts';

type FeedItem = Readonly<Record<string, unknown>>;

/** How long an index may return outdated items, in milliseconds. */
const REPEAT_MAX_MS = 60_000;

/** How many items per page are recorded for repetition. */
const RECORDED_PER_PAGE = 20;

const keyOf = ({ pk, sk }: FeedItem): string => JSON.stringify([pk, sk]);
const versionOf = ({ version }: FeedItem): number => Number(version ?? 0);

/** Simulates an eventually consistent index: pages contain repeated and outdated items in another order. */
export class FeedTampering {
  readonly #random: Random;
  readonly #time: VirtualTime;
  readonly #writers: Writers;
  #recent: { at: number; item: FeedItem }[] = [];
  /** The highest version returned so far, by key. */
  readonly #newest = new Map<string, number>();

  constructor(random: Random, time: VirtualTime, writers: Writers) {
    this.#random = random;
    this.#time = time;
    this.#writers = writers;
  }

  /** Replaces a page of the feed. */
  tamperWith(items: readonly FeedItem[]): readonly FeedItem[] {
    const random = this.#random;
    const repeated = this.#repeated();
    this.#record(items.slice(-RECORDED_PER_PAGE));
    if (items.length < 2 || random.chance(0.5)) return items;
    // The last item determines the reader's watermark, so it stays last.
    return [...this.#shuffled([...items.slice(0, -1), ...repeated, ...random.some(items, 3)]), ...items.slice(-1)];
  }

  #repeated(): FeedItem[] {
    const random = this.#random;
    this.#recent = this.#recent.filter(({ at }) => this.#time.now - at < REPEAT_MAX_MS);
    const recent = this.#recent.map(({ item }) => item);
    const repeated = recent.length > 0 && random.chance(0.2) ? random.some(recent, 4) : [];
    const outdated = recent.filter((item) => this.#isOutdated(item));
    if (outdated.length > 0 && random.chance(0.7)) repeated.push(random.pick(outdated));
    return repeated;
  }

  #record(items: readonly FeedItem[]): void {
    for (const item of items) {
      this.#recent.push({ at: this.#time.now, item });
      this.#newest.set(keyOf(item), Math.max(this.#newest.get(keyOf(item)) ?? 0, versionOf(item)));
    }
  }

  /** Whether a newer version was returned since, or the item may date from before the removal of its project. */
  #isOutdated(item: FeedItem): boolean {
    const { removed, restored } = this.#writers;
    const id = String(item.project_id ?? item.id);
    if (removed.includes(id) || restored === id) return item.type !== 'projectRemoved';
    return versionOf(item) < (this.#newest.get(keyOf(item)) ?? 0);
  }

  #shuffled(items: FeedItem[]): FeedItem[] {
    const left = [...items];
    return items.map(() => left.splice(this.#random.below(left.length), 1)[0] as FeedItem);
  }
}
