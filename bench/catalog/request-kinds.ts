import { CATEGORIES, categorySlug, sphere } from './listings.ts';

/**
 * One kind of request. `repeated`: lists in a few variants, which a server can respond to from a cache of responses.
 * `distinct`: lists in so many variants that it cannot. `ranked`: distinct searches by relevance, which each server defines
 * in its own way. `clusters`: distinct parts of the map. `read`: single listings.
 */
export interface RequestKind {
  readonly name: string;
  readonly kind: 'repeated' | 'distinct' | 'ranked' | 'clusters' | 'read';
  /** The servers that have it; all if absent. */
  readonly servers?: readonly string[];
  /** Paths with query strings, requested one after the other. */
  readonly paths: readonly string[];
}

const PAGE = 40;
const pricings = ['free', 'freemium', 'paid'];
const common =
  'platform data manage source code design web online help best business create software content social video image email'.split(
    ' ',
  );
const syllables =
  'ka lo mi ra ne to ves dra pul sor ben qui zan fel mor ti gra lin os ter ja bu che ny wil fa ro du vi pra'.split(' ');
const cities = [
  [13, 52],
  [2, 48],
  [-1, 51],
  [-75, 40],
  [-123, 37],
  [-47, -24],
  [139, 35],
  [77, 12],
] as const;

const at = <T>(list: readonly T[], i: number): T => list[i % list.length] as T;

const list = (name: string, queries: readonly string[]): RequestKind => ({
  name,
  kind: 'repeated',
  paths: queries.map((query) => `/api/projects${query === '' ? '' : `?${query}`}`),
});

const variants = (count: number, queryOf: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => queryOf(i));

/**
 * The measured requests for a directory of `size` listings, without distinct queries.
 * @param slugs of live listings, for single reads.
 */
export const requestKinds = (size: number, slugs: readonly string[]): readonly RequestKind[] => {
  // A small directory has no page 200; the last full page replaces it.
  const deep = Math.min(200, Math.floor((size * 0.9) / PAGE));
  const brands = slugs.map((slug) => slug.replace(/-\w+$/, ''));
  return [
    list('first page', ['']),
    list(
      'category',
      variants(CATEGORIES, (i) => `category=${categorySlug(i)}`),
    ),
    list(
      'category, pricing, by upvotes',
      variants(
        CATEGORIES * pricings.length,
        (i) => `category=${categorySlug(i)}&pricing=${at(pricings, i % 7)}&sort=upvotes`,
      ),
    ),
    list(
      'sphere, by rating, page 3',
      variants(6, (i) => `sphere=${sphere(i)}&sort=rating&page=3`),
    ),
    list(
      `page ${deep}`,
      variants(20, (i) => `page=${deep - i}`),
    ),
    list(
      'q common',
      variants(common.length, (i) => `q=${at(common, i)}`),
    ),
    list(
      'q rare',
      variants(brands.length, (i) => `q=${at(brands, i)}`),
    ),
    list(
      'q absent',
      variants(60, (i) => `q=xq${at(syllables, i)}zyx${i}`),
    ),
    list(
      'q of 2 characters',
      variants(30, (i) => `q=${at(syllables, i).slice(0, 2)}`),
    ),
    list(
      'q and category',
      variants(108, (i) => `q=${at(common, i)}&category=${categorySlug(i)}`),
    ),
    list('facets', ['facets=category,sphere,pricing']),
    list(
      'facets of a category',
      variants(CATEGORIES, (i) => `facets=category,sphere,pricing&category=${categorySlug(i)}`),
    ),
    list(
      'bbox',
      variants(48, (i) => {
        const [west, south] = at(cities, i);
        return `bbox=${west},${south},${west + 1 + (i % 6) / 4},${south + 1}`;
      }),
    ),
    { name: 'single read', kind: 'read', paths: slugs.map((slug) => `/api/projects/${slug}`) },
  ];
};
