import { allCategories } from './categories.ts';
import { lastWriteAt } from './write-marks.ts';

// What is derived from categories may be a second old, as in lists; what this very process has written shows at once.
const FRESH_MS = 1000;

let known: ReadonlyMap<string, string> = new Map();
let readAt = Number.NEGATIVE_INFINITY;

/** The spheres of some categories, each once, in the order of the categories; at most a second old. */
export const spheresOf = async (categories: readonly string[]): Promise<string[]> => {
  const askedAt = performance.now();
  if (askedAt - readAt > FRESH_MS || lastWriteAt() > readAt) {
    const all = await allCategories();
    known = new Map(all.flatMap(({ slug, sphere }) => (sphere === null ? [] : [[slug, sphere]])));
    readAt = askedAt;
  }
  return [...new Set(categories.flatMap((slug) => known.get(slug) ?? []))];
};
