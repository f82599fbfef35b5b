import { CategoryBody } from '#contract/categories.ts';
import type { SlugChange } from '#domain/categories/carry-over.ts';
import type { CategoryRecord } from '#domain/categories/category.ts';
import { type CreatePorts, createCategory } from '#domain/categories/manage.ts';
import { AppError } from '#shared/errors.ts';
import { isReservedSlug } from './slug.ts';
import { slugFrom } from './slug-from-name.ts';

/** How many categories one import creates at most. A column that needs more was not meant to be one of categories. */
const CREATED_MAX = 200;
const SORT_STEP = 10;

const folded = (name: string): string => name.normalize('NFC').toLowerCase();

const isTaken = (error: unknown): boolean => error instanceof AppError && error.code === 'CATEGORY_EXISTS';

/** What became of a cell's entry: the slug of a category, or why it is none. */
export type Resolved = { readonly slug: string } | { readonly unknown: string };

/**
 * The categories as an import sees them: entries of cells are slugs or names of categories, and where the mapping allows,
 * unknown ones become new categories as soon as a row that is written needs them.
 */
export class CategoryBook {
  readonly #ports: CreatePorts;
  readonly #mayCreate: boolean;
  readonly #bySlug = new Map<string, CategoryRecord>();
  readonly #slugOfName = new Map<string, string>();
  /** Names by slug of those that would have to be created. */
  readonly #planned = new Map<string, string>();
  readonly #used = new Map<string, CategoryRecord>();

  constructor(ports: CreatePorts, known: readonly CategoryRecord[], mayCreate: boolean) {
    this.#ports = ports;
    this.#mayCreate = mayCreate;
    for (const category of known) this.#remember(category);
  }

  /** Finds the category that an entry stands for: by slug, by name in any case, or by the slug that its name would get. */
  resolve(entry: string): Resolved {
    if (this.#bySlug.has(entry)) return { slug: entry };
    const slug = this.#slugOfName.get(folded(entry)) ?? slugFrom(entry, '');
    if (this.#bySlug.has(slug) || this.#planned.has(slug)) return { slug };
    if (!this.#mayCreate) return { unknown: `"${entry}" is not a category` };
    return this.#plan(entry, slug);
  }

  /** Creates those of some categories that do not exist yet. */
  async create(slugs: Iterable<string>): Promise<void> {
    for (const slug of new Set(slugs)) {
      const name = this.#planned.get(slug);
      const known = this.#bySlug.get(slug) ?? (name === undefined ? undefined : await this.#createOne(slug, name));
      if (known) this.#used.set(slug, known);
    }
  }

  /**
   * What became of the categories that were used while the import was at work, as renamings; a removed one has no new slug.
   * A slug that has come to belong to another category is not among them.
   */
  moved(now: readonly CategoryRecord[]): SlugChange[] {
    const slugs = new Set(now.map(({ slug }) => slug));
    const byId = new Map(now.map((category) => [category.id, category]));
    return [...this.#used].flatMap(([from, { id }]) =>
      slugs.has(from) ? [] : [{ from, to: byId.get(id)?.slug ?? null, categoryId: id }],
    );
  }

  #plan(entry: string, slug: string): Resolved {
    const { data: name } = CategoryBody.shape.name.safeParse(entry);
    if (name === undefined) return { unknown: `"${entry}" cannot be the name of a category` };
    if (isReservedSlug(slug))
      return { unknown: `"${name}" cannot be a category: it is a word of the interface itself` };
    if (this.#planned.size >= CREATED_MAX) return { unknown: `an import creates at most ${CREATED_MAX} categories` };
    const own = slug === '' ? this.#ports.newId('cat').slice('cat_'.length).toLowerCase() : slug;
    this.#planned.set(own, name);
    this.#slugOfName.set(folded(entry), own);
    return { slug: own };
  }

  async #createOne(slug: string, name: string): Promise<CategoryRecord | undefined> {
    const last = Math.max(0, ...[...this.#bySlug.values()].map((category) => category.sort_order));
    try {
      const category = await createCategory(this.#ports, { name, slug, sort_order: last + SORT_STEP });
      this.#remember(category);
      return category;
    } catch (error) {
      if (!isTaken(error)) throw error;
      // Somebody else has just created it, and that is all that was wanted.
      const category = (await this.#ports.allCategories()).find((one) => one.slug === slug);
      if (category) this.#remember(category);
      return category;
    }
  }

  #remember(category: CategoryRecord): void {
    this.#bySlug.set(category.slug, category);
    this.#slugOfName.set(folded(category.name), category.slug);
  }
}
