import { allCategories } from './categories.ts';

// Lists are allowed to be a second old, and so is what is derived from categories in single reads.
const FRESH_MS = 1000;

let known: ReadonlyMap<string, string> = new Map();
let readAt = Number.NEGATIVE_INFINITY;

/** The spheres of some categories, each once, in the order of the categories; at most a second old. */
export const spheresOf = async (categories: readonly string[]): Promise<string[]> => {
  if (performance.now() - readAt > FRESH_MS) {
    const all = await allCategories();
    known = new Map(all.flatMap(({ slug, sphere }) => (sphere === null ? [] : [[slug, sphere]])));
    readAt = performance.now();
  }
  return [...new Set(categories.flatMap((slug) => known.get(slug) ?? []))];
};
