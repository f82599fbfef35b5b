import { CategoryBody } from '#contract/categories.ts';
import { aliasedSlugs, allCategories } from '#data/categories.ts';
import type { CategoryRecord } from '#model/category.ts';
import { newId } from '#platform/ids.ts';
import { createCategory, SORT_STEP } from '#services/categories/manage.ts';
import type { SlugChange } from '#services/categories/propagate-slug.ts';
import { isReservedSlug } from '#services/projects/slug.ts';
import { slugFrom } from '#services/projects/slug-from-name.ts';
import { AppError } from '#shared/errors.ts';

/** The most categories that one import creates: a column with more values is hardly one of categories. */
const CREATED_MAX = 200;

const folded = (name: string): string => name.normalize('NFC').toLowerCase();

/** The slug of a category, or why an entry is not a category. */
type Resolution = { readonly slug: string } | { readonly problem: string };

interface LookupOptions {
  readonly mayCreate: boolean;
  readonly earlier?: Readonly<Record<string, string>> | undefined;
}

/** Finds the categories that cells name by slug or name, and plans missing ones where the mapping allows it. */
export class CategoryLookup {
  readonly #mayCreate: boolean;
  readonly #bySlug = new Map<string, CategoryRecord>();
  /** Current slugs by the slug of a merged category; null once the category that replaced it is deleted. */
  readonly #aliases: ReadonlyMap<string, string | null>;
  readonly #slugByName = new Map<string, string>();
  /** Names of missing categories, by slug. */
  readonly #planned = new Map<string, string>();
  /** Categories of written projects, by the slug that was written. */
  readonly #used = new Map<string, Pick<CategoryRecord, 'id'>>();

  /**
   * @param earlier the ids of categories when earlier runs of the import began, by slug: those that rows of these runs may carry.
   */
  constructor(
    categories: readonly CategoryRecord[],
    aliases: ReadonlyMap<string, string | null>,
    { mayCreate, earlier = {} }: LookupOptions,
  ) {
    this.#mayCreate = mayCreate;
    this.#aliases = aliases;
    for (const [slug, id] of Object.entries(earlier)) this.#used.set(slug, { id });
    for (const category of categories) this.#add(category);
  }

  static async open(options: LookupOptions): Promise<CategoryLookup> {
    return new CategoryLookup(await allCategories(), await aliasedSlugs(), options);
  }

  /** Resolves an entry by slug, by name in any case, or by the slug that its name results in. */
  resolve(entry: string): Resolution {
    if (this.#bySlug.has(entry)) return { slug: entry };
    const given = this.#slugByName.get(folded(entry)) ?? slugFrom(entry, '');
    const aliased = [entry, given].find((one) => this.#aliases.has(one));
    const slug = aliased === undefined ? given : this.#aliases.get(aliased);
    if (slug == null) return { problem: `"${entry}" is not a category` };
    if (this.#bySlug.has(slug) || this.#planned.has(slug)) return { slug };
    if (!this.#mayCreate) return { problem: `"${entry}" is not a category` };
    return this.#plan(entry, slug);
  }

  /** Creates the planned categories among these slugs, and notes all of them as used. */
  async createMissing(slugs: Iterable<string>): Promise<void> {
    for (const slug of new Set(slugs)) {
      const name = this.#planned.get(slug);
      const category = this.#bySlug.get(slug) ?? (name === undefined ? undefined : await this.#create(slug, name));
      if (category) this.#used.set(slug, category);
    }
  }

  /**
   * Returns the used categories that were renamed, merged or deleted during the import.
   * @param current all categories at the end. A slug that belongs to another category by then is left out.
   */
  changesUntil(current: readonly CategoryRecord[]): SlugChange[] {
    const slugs = new Set(current.map(({ slug }) => slug));
    return [...this.#used].flatMap(([from, { id }]) => (slugs.has(from) ? [] : [{ from, categoryId: id }]));
  }

  #plan(entry: string, slugOfName: string): Resolution {
    const { data: name } = CategoryBody.shape.name.safeParse(entry);
    if (name === undefined) return { problem: `"${entry}" is not a valid name of a category` };
    if (isReservedSlug(slugOfName)) return { problem: `"${name}" cannot be a category: its slug is reserved` };
    if (this.#planned.size >= CREATED_MAX) return { problem: `an import creates at most ${CREATED_MAX} categories` };
    const slug = slugOfName === '' ? newId('cat').slice('cat_'.length).toLowerCase() : slugOfName;
    this.#planned.set(slug, name);
    this.#slugByName.set(folded(entry), slug);
    return { slug };
  }

  async #create(slug: string, name: string): Promise<CategoryRecord | undefined> {
    const last = Math.max(0, ...[...this.#bySlug.values()].map((category) => category.sort_order));
    try {
      const category = await createCategory({ name, slug, sort_order: last + SORT_STEP });
      this.#add(category);
      return category;
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'CATEGORY_EXISTS')) throw error;
      // It was created concurrently.
      const category = (await allCategories()).find((one) => one.slug === slug);
      if (category) this.#add(category);
      return category;
    }
  }

  #add(category: CategoryRecord): void {
    this.#bySlug.set(category.slug, category);
    this.#slugByName.set(folded(category.name), category.slug);
  }
}
