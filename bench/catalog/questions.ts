import { CATEGORIES, categorySlug, sphere } from './listings.ts';

/** One kind of request, in as many forms as visitors would have for it: no answer is asked for again and again that they would not. */
export interface Question {
  readonly name: string;
  readonly kind: 'list' | 'read';
  /** Paths with their queries, asked in turn. */
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

const list = (name: string, queries: readonly string[]): Question => ({
  name,
  kind: 'list',
  paths: queries.map((query) => `/api/projects${query === '' ? '' : `?${query}`}`),
});

const forms = (count: number, queryOf: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => queryOf(i));

/**
 * The requests that the service is measured by, for a directory of `size` listings.
 * @param slugs of live listings, for single reads.
 */
export const questions = (size: number, slugs: readonly string[]): readonly Question[] => {
  // A small directory has no page 200; its deepest one that is full stands in.
  const deep = Math.min(200, Math.floor((size * 0.9) / PAGE));
  const brands = slugs.map((slug) => slug.replace(/-\w+$/, ''));
  return [
    list('first page', ['']),
    list(
      'category',
      forms(CATEGORIES, (i) => `category=${categorySlug(i)}`),
    ),
    list(
      'category, pricing, by upvotes',
      forms(
        CATEGORIES * pricings.length,
        (i) => `category=${categorySlug(i)}&pricing=${at(pricings, i % 7)}&sort=upvotes`,
      ),
    ),
    list(
      'sphere, by rating, page 3',
      forms(6, (i) => `sphere=${sphere(i)}&sort=rating&page=3`),
    ),
    list(
      `page ${deep}`,
      forms(20, (i) => `page=${deep - i}`),
    ),
    list(
      'q common',
      forms(common.length, (i) => `q=${at(common, i)}`),
    ),
    list(
      'q rare',
      forms(brands.length, (i) => `q=${at(brands, i)}`),
    ),
    list(
      'q absent',
      forms(60, (i) => `q=xq${at(syllables, i)}zyx${i}`),
    ),
    list(
      'q of 2 characters',
      forms(30, (i) => `q=${at(syllables, i).slice(0, 2)}`),
    ),
    list(
      'q and category',
      forms(108, (i) => `q=${at(common, i)}&category=${categorySlug(i)}`),
    ),
    list('facets', ['facets=category,sphere,pricing']),
    list(
      'facets of a category',
      forms(CATEGORIES, (i) => `facets=category,sphere,pricing&category=${categorySlug(i)}`),
    ),
    list(
      'bbox',
      forms(48, (i) => {
        const [west, south] = at(cities, i);
        return `bbox=${west},${south},${west + 1 + (i % 6) / 4},${south + 1}`;
      }),
    ),
    { name: 'single read', kind: 'read', paths: slugs.map((slug) => `/api/projects/${slug}`) },
  ];
};
