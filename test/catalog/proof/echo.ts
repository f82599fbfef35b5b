import type { VirtualTime } from '#test/support/virtual-time.ts';
import type { Random } from '../random.ts';
import type { Writers } from './writers.ts';

type FeedItem = Readonly<Record<string, unknown>>;

/** How long the feed may say what it has said before, in milliseconds. */
const MEMORY_MS = 60_000;

/** How many items at the end of a page are remembered. */
const REMEMBERED = 20;

const keyOf = ({ pk, sk }: FeedItem): string => JSON.stringify([pk, sk]);
const versionOf = ({ version }: FeedItem): number => Number(version ?? 0);

/** A feed that says some things twice, in another order, and as they were a moment ago: copies of an index do not agree. */
export class Echo {
  readonly #random: Random;
  readonly #time: VirtualTime;
  readonly #writers: Writers;
  #said: { at: number; item: FeedItem }[] = [];
  /** By key, the highest version that was said. */
  readonly #newest = new Map<string, number>();

  /** `writers` know what is gone. */
  constructor(random: Random, time: VirtualTime, writers: Writers) {
    this.#random = random;
    this.#time = time;
    this.#writers = writers;
  }

  /** What a reader gets in place of a page. */
  tampered(items: readonly FeedItem[]): readonly FeedItem[] {
    const random = this.#random;
    const again = this.#again();
    this.#remember(items.slice(-REMEMBERED));
    if (items.length < 2 || random.chance(0.5)) return items;
    // What is last says how far the reader has come, so it stays.
    return [...this.#shuffled([...items.slice(0, -1), ...again, ...random.some(items, 3)]), ...items.slice(-1)];
  }

  #again(): FeedItem[] {
    const random = this.#random;
    this.#said = this.#said.filter(({ at }) => this.#time.now - at < MEMORY_MS);
    const said = this.#said.map(({ item }) => item);
    const again = said.length > 0 && random.chance(0.2) ? random.some(said, 4) : [];
    const outdated = said.filter((item) => this.#isOutdated(item));
    if (outdated.length > 0 && random.chance(0.7)) again.push(random.pick(outdated));
    return again;
  }

  #remember(items: readonly FeedItem[]): void {
    for (const item of items) {
      this.#said.push({ at: this.#time.now, item });
      this.#newest.set(keyOf(item), Math.max(this.#newest.get(keyOf(item)) ?? 0, versionOf(item)));
    }
  }

  /** Whether something newer was said of it since, or it may belong to an earlier life of its project. */
  #isOutdated(item: FeedItem): boolean {
    const { gone, returned } = this.#writers;
    const id = String(item.project_id ?? item.id);
    if (gone.includes(id) || returned === id) return item.type !== 'projectRemoved';
    return versionOf(item) < (this.#newest.get(keyOf(item)) ?? 0);
  }

  #shuffled(items: FeedItem[]): FeedItem[] {
    const left = [...items];
    return items.map(() => left.splice(this.#random.below(left.length), 1)[0] as FeedItem);
  }
}
