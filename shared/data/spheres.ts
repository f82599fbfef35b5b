import { elapsed, moment, NEVER } from '#platform/clock.ts';
import { allCategories } from './categories.ts';
import { lastWriteAt } from './write-marks.ts';

// What is derived from categories may be a second old, as in lists; what this very process has written shows at once.
const FRESH_MS = 1000;

let known: ReadonlyMap<string, string> = new Map();
let readAt = NEVER;

/** The spheres of some categories, each once, in the order of the categories; at most a second old. */
export const spheresOf = async (categories: readonly string[]): Promise<string[]> => {
  const askedAt = moment();
  if (elapsed(readAt, askedAt) > FRESH_MS || lastWriteAt() > readAt.monotonic) {
    const all = await allCategories();
    known = new Map(all.flatMap(({ slug, sphere }) => (sphere === null ? [] : [[slug, sphere]])));
    readAt = askedAt;
  }
  return [...new Set(categories.flatMap((slug) => known.get(slug) ?? []))];
};
