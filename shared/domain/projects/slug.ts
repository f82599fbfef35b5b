/** The longest slug, in characters. */
export const SLUG_MAX = 100;

/** Words that stand in a path where a project's or category's slug could. */
const RESERVED = new Set([
  'admin',
  'approve',
  'bulk',
  'comments',
  'export',
  'import',
  'map',
  'me',
  'new',
  'ratings',
  'reject',
  'reorder',
  'report',
  'resubmit',
  'search',
  'upvote',
]);

/** Whether a slug can never belong to a project or category. */
export const isReservedSlug = (slug: string): boolean => RESERVED.has(slug);

/** The beginning of a slug, without a hyphen at its end. */
export const shortened = (slug: string, max: number): string => slug.slice(0, max).replace(/-+$/, '');

/** The `number`th form of a slug: itself, then `-2`, `-3` …, never longer than a slug may be. */
export const slugVariant = (slug: string, number: number): string => {
  if (number === 1) return slug;
  const suffix = `-${number}`;
  return `${shortened(slug, SLUG_MAX - suffix.length)}${suffix}`;
};

// The plain form is nearly always free, so it is asked for alone; after that many at once.
const PROBES = [1, 24, 100];

/**
 * The first free form of a slug.
 * @param takenAmong which of some slugs are taken.
 */
export const freeSlug = async (
  base: string,
  takenAmong: (slugs: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<string> => {
  let next = 1;
  for (let round = 0; ; round += 1) {
    const size = PROBES[Math.min(round, PROBES.length - 1)] as number;
    const variants = Array.from({ length: size }, (_, offset) => slugVariant(base, next + offset));
    next += size;
    const taken = await takenAmong(variants);
    const free = variants.find((slug) => !taken.has(slug) && !isReservedSlug(slug));
    if (free !== undefined) return free;
  }
};
