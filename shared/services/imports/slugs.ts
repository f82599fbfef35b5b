import { createHash } from 'node:crypto';
import { slugHolders } from '#data/projects.ts';
import { isReservedSlug, slugVariant } from '#services/projects/slug.ts';
import { slugFrom } from '#services/projects/slug-from-name.ts';

/** How many variants of a taken slug are read together. */
const VARIANTS_PER_READ = 100;

/** The next variants of slugs that are worth remembering: below, they are found again at once. */
const REMEMBERED_VARIANT_MIN = 10;

/** The slug of a name without any character that can be transliterated, with as many characters as a ULID. */
const digestOf = (name: string): string => {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 32);
  return BigInt(`0x${digest}`).toString(32).padStart(26, '0');
};

/** The holders of slugs: read in bulk, cached, and updated with the slugs that the import assigns. */
export class SlugLookup {
  /** Slugs that rows name themselves; they are not generated for other rows. */
  readonly #inFile: ReadonlySet<string>;
  /** Slugs that rows without one get, by row number. */
  readonly #ofRows = new Map<number, string>();
  readonly #expected = new Set<string>();
  /** The next number to try for such a row, by slug without a number; only above 2. */
  readonly #nextExpected = new Map<string, number>();
  /** Project ids by slug; null for a free slug. */
  readonly #holders = new Map<string, string | null>();
  /** The next variant to try, by slug without a number. */
  readonly #nextVariant = new Map<string, number>();
  /** Project ids by the slugs that a dry run assigns: they cannot be read again. */
  readonly #planned: Map<string, string> | undefined;

  constructor(inFile: ReadonlySet<string>, { isDryRun }: { readonly isDryRun: boolean }) {
    this.#inFile = inFile;
    this.#planned = isDryRun ? new Map() : undefined;
  }

  /** Reads the holders of slugs that are not cached. */
  async load(slugs: Iterable<string>): Promise<void> {
    const unknown = [...new Set(slugs)].filter((slug) => !this.#holders.has(slug));
    if (unknown.length === 0) return;
    const holders = await slugHolders(unknown);
    for (const slug of unknown) this.#holders.set(slug, this.#planned?.get(slug) ?? holders.get(slug) ?? null);
  }

  /** Reads as many variants of each slug as there are rows that need one. */
  async loadVariants(slugs: readonly string[]): Promise<void> {
    const counts = new Map<string, number>();
    for (const slug of slugs) counts.set(slug, (counts.get(slug) ?? 0) + 1);
    await this.load([...counts].flatMap(([slug, count]) => this.#variants(slug, count)));
  }

  /**
   * Returns the slug that a row without one gets in an empty directory: from its name, with a number when an earlier
   * row gets the same. It depends on the file alone, so that a second import of the file finds the same projects.
   */
  expectedOf(row: number, name: string): string {
    const known = this.#ofRows.get(row);
    if (known !== undefined) return known;
    const base = slugFrom(name, '') || digestOf(name);
    for (let number = this.#nextExpected.get(base) ?? (this.#expected.has(base) ? 2 : 1); ; number += 1) {
      const slug = slugVariant(base, number);
      if (this.#inFile.has(slug) || this.#expected.has(slug) || isReservedSlug(slug)) continue;
      if (number > 1) this.#nextExpected.set(base, number + 1);
      this.#expected.add(slug);
      this.#ofRows.set(row, slug);
      return slug;
    }
  }

  /** Returns the id of the project that has the slug now or had it earlier. */
  async holderOf(slug: string): Promise<string | undefined> {
    await this.load([slug]);
    return this.#holders.get(slug) ?? undefined;
  }

  /** Returns the first free variant of a slug: itself, then `-2`, `-3` … */
  async freeVariant(slug: string): Promise<string> {
    for (;;) {
      const number = this.#nextVariant.get(slug) ?? 1;
      const variant = slugVariant(slug, number);
      if (!this.#holders.has(variant)) await this.load(this.#variants(slug, number === 1 ? 1 : VARIANTS_PER_READ));
      this.#nextVariant.set(slug, number + 1);
      const isExpected = this.#inFile.has(variant) || this.#expected.has(variant);
      if (this.#holders.get(variant) === null && !isExpected && !isReservedSlug(variant)) return variant;
    }
  }

  assign(slug: string, projectId: string): void {
    this.#holders.set(slug, projectId);
    this.#planned?.set(slug, projectId);
  }

  /** Drops a slug from the cache, so that it is read again. */
  forget(slug: string): void {
    this.#holders.delete(slug);
  }

  /** Drops what can be read again, so that memory does not grow with the rows. */
  release(): void {
    this.#ofRows.clear();
    this.#holders.clear();
    for (const [slug, next] of this.#nextVariant) if (next < REMEMBERED_VARIANT_MIN) this.#nextVariant.delete(slug);
  }

  #variants(slug: string, count: number): string[] {
    const first = this.#nextVariant.get(slug) ?? 1;
    return Array.from({ length: count }, (_, offset) => slugVariant(slug, first + offset));
  }
}
