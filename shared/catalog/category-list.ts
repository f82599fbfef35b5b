import type { CategoryRecord } from '#domain/categories/category.ts';
import { fold } from './fold.ts';

/** The categories by id and by slug, and the spheres that follow from them. */
export class CategoryList {
  readonly #byId = new Map<string, CategoryRecord>();
  readonly #bySlug = new Map<string, CategoryRecord>();
  readonly #gone = new Set<string>();
  readonly #slugsBySphere = new Map<string, string[]>();
  #sorted: readonly CategoryRecord[] | undefined;

  /** Takes a newer state of a category; answers whether it made a difference. */
  put(category: CategoryRecord): boolean {
    const before = this.#byId.get(category.id);
    if (this.#gone.has(category.id) || (before && before.version >= category.version)) return false;
    this.#byId.set(category.id, category);
    this.#changed();
    return true;
  }

  /** Forgets a category for good; answers whether it was there. */
  remove(id: string): boolean {
    this.#gone.add(id);
    const removed = this.#byId.delete(id);
    if (removed) this.#changed();
    return removed;
  }

  /** The ids of categories that are gone for good. */
  gone(): Iterable<string> {
    return this.#gone;
  }

  /** By `sort_order`, then name, then id. */
  sorted(): readonly CategoryRecord[] {
    this.#sorted ??= [...this.#byId.values()]
      .map((category) => ({ category, name: fold(category.name) }))
      .sort(
        (a, b) =>
          a.category.sort_order - b.category.sort_order ||
          (a.name < b.name ? -1 : a.name > b.name ? 1 : a.category.id < b.category.id ? -1 : 1),
      )
      .map(({ category }) => category);
    return this.#sorted;
  }

  /** The distinct spheres of those of the slugs that are categories, in the order of the slugs. */
  spheresOf(slugs: readonly string[]): string[] {
    const spheres: string[] = [];
    for (const slug of slugs) {
      const sphere = this.#bySlug.get(slug)?.sphere;
      if (sphere != null && !spheres.includes(sphere)) spheres.push(sphere);
    }
    return spheres;
  }

  /** The slugs of the categories of each sphere; those without a sphere are left out. */
  slugsBySphere(): ReadonlyMap<string, readonly string[]> {
    return this.#slugsBySphere;
  }

  #changed(): void {
    this.#sorted = undefined;
    this.#bySlug.clear();
    // A slug is taken over when a category is deleted and another one made, and the new one may be heard of first.
    for (const category of this.#byId.values()) {
      const other = this.#bySlug.get(category.slug);
      if (!other || other.id < category.id) this.#bySlug.set(category.slug, category);
    }
    this.#slugsBySphere.clear();
    for (const { slug, sphere } of this.#bySlug.values()) {
      if (sphere === null) continue;
      const slugs = this.#slugsBySphere.get(sphere);
      if (slugs) slugs.push(slug);
      else this.#slugsBySphere.set(sphere, [slug]);
    }
  }
}
