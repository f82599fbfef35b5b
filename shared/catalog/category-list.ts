import type { CategoryRecord } from '#model/category.ts';
import { fold } from './fold.ts';

/** The categories by id and by slug, and the spheres derived from them. */
export class CategoryList {
  readonly #byId = new Map<string, CategoryRecord>();
  readonly #bySlug = new Map<string, CategoryRecord>();
  /** By id of a removed category, the version up to which it is removed. */
  readonly #removed = new Map<string, number>();
  readonly #slugsBySphere = new Map<string, string[]>();
  #sorted: readonly CategoryRecord[] | undefined;

  /** Applies a state of a category. @returns whether it was newer than the current one. */
  put(category: CategoryRecord): boolean {
    const before = this.#byId.get(category.id);
    const removedVersion = this.#removed.get(category.id) ?? Number.NEGATIVE_INFINITY;
    if (removedVersion >= category.version || (before && before.version >= category.version)) return false;
    this.#removed.delete(category.id);
    this.#byId.set(category.id, category);
    this.#changed();
    return true;
  }

  /** Removes the states of a category up to a version. @returns whether one was present. */
  remove(id: string, version = Number.POSITIVE_INFINITY): boolean {
    if ((this.#byId.get(id)?.version ?? Number.NEGATIVE_INFINITY) > version) return false;
    this.#removed.set(id, Math.max(version, this.#removed.get(id) ?? version));
    const removed = this.#byId.delete(id);
    if (removed) this.#changed();
    return removed;
  }

  /** The ids of removed categories, each with the version up to which it is removed. */
  removed(): Iterable<readonly [string, number]> {
    return this.#removed;
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
    // A new category may reuse the slug of a deleted one, and its entry in the feed may arrive before the deletion.
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
