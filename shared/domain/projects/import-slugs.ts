import { isReservedSlug, slugVariant } from './slug.ts';

/** Says which projects hold some slugs, now or from earlier; free ones are left out. */
export type FindSlugHolders = (slugs: readonly string[]) => Promise<ReadonlyMap<string, string>>;

// How many variants of a slug are asked for together once the first ones turn out to be taken.
const PROBES = 100;

/**
 * What an import knows of slugs: asked for many at once, remembered, and kept in step with what the import itself takes.
 */
export class SlugBook {
  readonly #find: FindSlugHolders;
  /** Slugs that rows of the file ask for by name: no other row is given one of them. */
  readonly #named: ReadonlySet<string>;
  /** The holder of each slug that was asked for; null for nobody. */
  readonly #holders = new Map<string, string | null>();
  /** Per slug without a number, which number to try next. */
  readonly #next = new Map<string, number>();

  constructor(find: FindSlugHolders, named: ReadonlySet<string>) {
    this.#find = find;
    this.#named = named;
  }

  /** Asks for what is not known yet. */
  async learn(slugs: Iterable<string>): Promise<void> {
    const unknown = [...new Set(slugs)].filter((slug) => !this.#holders.has(slug));
    if (unknown.length === 0) return;
    const holders = await this.#find(unknown);
    for (const slug of unknown) this.#holders.set(slug, holders.get(slug) ?? null);
  }

  /** Asks for the slugs that some names without one will need, one for each time that a name occurs. */
  async learnFor(bases: readonly string[]): Promise<void> {
    const times = new Map<string, number>();
    for (const base of bases) times.set(base, (times.get(base) ?? 0) + 1);
    await this.learn([...times].flatMap(([base, count]) => this.#variants(base, count)));
  }

  /** The project that holds a slug. */
  async holder(slug: string): Promise<string | undefined> {
    await this.learn([slug]);
    return this.#holders.get(slug) ?? undefined;
  }

  /** The next free form of a slug: itself, then `-2`, `-3` … */
  async free(base: string): Promise<string> {
    for (;;) {
      const number = this.#next.get(base) ?? 1;
      const slug = slugVariant(base, number);
      if (!this.#holders.has(slug)) await this.learn(this.#variants(base, number === 1 ? 1 : PROBES));
      this.#next.set(base, number + 1);
      if (this.#holders.get(slug) === null && !this.#named.has(slug) && !isReservedSlug(slug)) return slug;
    }
  }

  /** Notes that the import gives a slug to a project. */
  take(slug: string, projectId: string): void {
    this.#holders.set(slug, projectId);
  }

  /** Forgets what was known of a slug, so that it is asked for again. */
  forget(slug: string): void {
    this.#holders.delete(slug);
  }

  #variants(base: string, count: number): string[] {
    const first = this.#next.get(base) ?? 1;
    return Array.from({ length: count }, (_, offset) => slugVariant(base, first + offset));
  }
}
