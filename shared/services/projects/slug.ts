/** Maximum length of a slug in characters. */
export const SLUG_MAX = 100;

/** Path segments of routes at the position of a project's or category's slug. */
const RESERVED = new Set([
  'admin',
  'approve',
  // A member of `GET /api/user/votes` beside the entries by slug.
  'bookmarked',
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

export const isReservedSlug = (slug: string): boolean => RESERVED.has(slug);

/** A slug cut to a length, without a trailing hyphen. */
export const shortened = (slug: string, max: number): string => slug.slice(0, max).replace(/-+$/, '');

/** The slug itself for 1, then with the suffix `-2`, `-3` …, cut to `SLUG_MAX`. */
export const slugVariant = (slug: string, number: number): string => {
  if (number === 1) return slug;
  const suffix = `-${number}`;
  return `${shortened(slug, SLUG_MAX - suffix.length)}${suffix}`;
};

/** How many variants each round checks. The slug itself is nearly always free, so it is checked alone. */
const VARIANTS_PER_ROUND = [1, 24, 100];

/**
 * The first free variant of a slug.
 * @param takenAmong returns those of the given slugs that are taken.
 */
export const freeSlug = async (
  base: string,
  takenAmong: (slugs: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<string> => {
  let next = 1;
  for (let round = 0; ; round += 1) {
    const size = VARIANTS_PER_ROUND[Math.min(round, VARIANTS_PER_ROUND.length - 1)] as number;
    const variants = Array.from({ length: size }, (_, offset) => slugVariant(base, next + offset));
    next += size;
    const taken = await takenAmong(variants);
    const free = variants.find((slug) => !taken.has(slug) && !isReservedSlug(slug));
    if (free !== undefined) return free;
  }
};
