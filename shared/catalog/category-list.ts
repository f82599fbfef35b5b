import type { CategoryRecord } from '#model/category.ts';
import { fold, wordsOf } from './folded-text.ts';
import type { CategoryAlias } from './types.ts';

/** The removal of a category. */
export interface CategoryRemoval {
  readonly id: string;
  /** The version up to which it is removed. */
  readonly version: number;
  /** Of a merged category. */
  readonly alias: CategoryAlias | null;
}

/** The name of a category, folded, with its words. */
export interface CategoryName {
  readonly slug: string;
  readonly name: string;
  readonly words: readonly string[];
}

/** The categories by id and by slug, and the spheres derived from them. */
export class CategoryList {
  readonly #byId = new Map<string, CategoryRecord>();
  readonly #bySlug = new Map<string, CategoryRecord>();
  /** By id of the category. */
  readonly #removed = new Map<string, CategoryRemoval>();
  /** The removals of merged categories, by slug. */
  readonly #aliases = new Map<string, CategoryRemoval>();
  readonly #slugsBySphere = new Map<string, string[]>();
  #sorted: readonly CategoryRecord[] | undefined;
  #names: readonly CategoryName[] | undefined;

  /** Applies a state of a category. @returns whether it was newer than the current one. */
  put(category: CategoryRecord): boolean {
    const before = this.#byId.get(category.id);
    const removedVersion = this.#removed.get(category.id)?.version ?? Number.NEGATIVE_INFINITY;
    if (removedVersion >= category.version || (before && before.version >= category.version)) return false;
    this.#removed.delete(category.id);
    this.#byId.set(category.id, category);
    this.#changed();
    return true;
  }

  /** Removes the states of a category up to a version. @returns whether one was present, or an alias is new. */
  remove(id: string, version = Number.POSITIVE_INFINITY, alias: CategoryAlias | null = null): boolean {
    if ((this.#byId.get(id)?.version ?? Number.NEGATIVE_INFINITY) > version) return false;
    const known = this.#removed.get(id);
    const isNew = !known || known.version < version;
    if (isNew) this.#removed.set(id, { id, version, alias });
    const removed = this.#byId.delete(id);
    const changed = removed || (isNew && (alias !== null || known?.alias != null));
    if (changed) this.#changed();
    return changed;
  }

  removed(): Iterable<CategoryRemoval> {
    return this.#removed.values();
  }

  /** The slug, or for a merged category the slug of the category that replaced it. */
  currentSlug(slug: string): string {
    let id = this.#bySlug.has(slug) ? undefined : this.#aliases.get(slug)?.alias?.into;
    const followed = new Set<string>();
    while (id !== undefined && !followed.has(id)) {
      const category = this.#byId.get(id);
      if (category) return category.slug;
      followed.add(id);
      id = this.#removed.get(id)?.alias?.into;
    }
    return slug;
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

  /** The names that slugs stand for. */
  names(): readonly CategoryName[] {
    this.#names ??= Array.from(this.#bySlug.values(), ({ slug, name }) => {
      const folded = fold(name);
      return { slug, name: folded, words: wordsOf(folded) };
    });
    return this.#names;
  }

  /** The distinct spheres of the categories with these slugs, in the order of the slugs. Unknown slugs are ignored. */
  spheresOf(slugs: readonly string[]): string[] {
    const spheres: string[] = [];
    for (const slug of slugs) {
      const sphere = this.#bySlug.get(slug)?.sphere;
      if (sphere != null && !spheres.includes(sphere)) spheres.push(sphere);
    }
    return spheres;
  }

  /** The slugs of the categories of each sphere. Categories without a sphere are omitted. */
  slugsBySphere(): ReadonlyMap<string, readonly string[]> {
    return this.#slugsBySphere;
  }

  #changed(): void {
    this.#sorted = undefined;
    this.#names = undefined;
    this.#bySlug.clear();
    // A new category may reuse the slug of a deleted one, and its entry in the feed may arrive before the deletion.
    for (const category of this.#byId.values()) {
      const other = this.#bySlug.get(category.slug);
      if (!other || other.id < category.id) this.#bySlug.set(category.slug, category);
    }
    this.#aliases.clear();
    for (const removal of this.#removed.values()) {
      const { id, alias } = removal;
      if (alias && id > (this.#aliases.get(alias.slug)?.id ?? '')) this.#aliases.set(alias.slug, removal);
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
