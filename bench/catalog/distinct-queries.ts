import {
  CATEGORIES,
  CITIES,
  CITY_RADIUS,
  COMMON,
  categorySlug,
  Directory,
  SYLLABLES,
  shareOfCity,
  sphere,
} from './listings.ts';
import type { RequestKind } from './request-kinds.ts';

const PAGE = 40;
const SPHERES = 6;
const PRICINGS = ['all', 'free', 'freemium', 'paid'];
const SORTS = ['newest', 'oldest', 'upvotes', 'rating', 'views', 'name', 'trending'];
/** The expected number of listings in the smallest box: as many as the largest page holds, so that pages are full. */
const BOXED_MIN = 110;
/** Attempts per distinct query before the variants are taken to be exhausted. */
const ATTEMPTS = 100;

/**
 * Distinct queries for a directory of `size` listings, in a random but reproducible order.
 * @param count per kind.
 * @throws Error when a kind has fewer variants.
 */
export const distinctKinds = (size: number, count: number, seed: number): readonly RequestKind[] => {
  const random = new Directory(seed);
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)] as T;
  const category = (): string => `category=${categorySlug(random.below(CATEGORIES))}`;
  const sort = (): string => `sort=${pick(SORTS)}`;
  const page = (last: number): string => `page=${1 + random.below(Math.max(1, last))}`;
  const rows = (min: number, max: number): string => `limit=${min + random.below(max - min + 1)}`;
  /** At most a page that every query has: `share` is that of the listings that it matches at least. */
  const lastPage = (most: number, share: number): number => Math.min(most, Math.floor((size * share) / PAGE));

  /** Three to six letters from the inside of a word, at random. */
  const fragment = (): string => {
    const word = random.next() < 0.3 ? pick(COMMON) : `${pick(SYLLABLES)}${pick(SYLLABLES)}${pick(SYLLABLES)}`;
    const start = random.below(Math.max(1, word.length - 3));
    return word.slice(start, start + 3 + random.below(4));
  };

  /** A box of random shape inside the square of a random city. All zoom levels of a map are equally frequent. */
  const box = (): string => {
    const city = random.below(CITIES.length);
    const [, , latitude, longitude] = CITIES[city] as (typeof CITIES)[number];
    const side = CITY_RADIUS * 2;
    // As a share of the square.
    const smallest = Math.min(1, BOXED_MIN / (size * shareOfCity(city)));
    const area = smallest ** random.next();
    const height = Math.min(1, Math.sqrt(area) * (0.8 + random.next() * 0.4));
    const width = Math.min(1, area / height);
    const south = latitude - CITY_RADIUS + random.next() * (1 - height) * side;
    const west = longitude - CITY_RADIUS + random.next() * (1 - width) * side;
    const corners = [west, south, west + width * side, south + height * side];
    return `bbox=${corners.map((corner) => corner.toFixed(4)).join(',')}`;
  };

  const kind = (name: string, queryOf: () => readonly string[]): RequestKind => {
    const paths = new Set<string>();
    for (let attempt = 0; paths.size < count; attempt += 1) {
      if (attempt === count * ATTEMPTS) throw new Error(`There are only ${paths.size} distinct queries of "${name}".`);
      paths.add(`/api/projects?${queryOf().join('&')}`);
    }
    return { name, kind: 'distinct', paths: [...paths] };
  };

  return [
    kind('filters', () => [category(), `pricing=${pick(PRICINGS)}`, sort(), page(3), rows(20, 60)]),
    kind('spheres and deep pages', () => [
      `sphere=${sphere(random.below(SPHERES))}`,
      sort(),
      page(lastPage(60, 0.05)),
      rows(36, 44),
    ]),
    kind('pages 1 to 400', () => [sort(), page(lastPage(400, 0.8)), rows(36, 44)]),
    kind('search', () => [`q=${fragment()}`, sort()]),
    kind('search and category', () => [`q=${fragment()}`, category(), sort()]),
    kind('boxes of 50 to 100 rows', () => [box(), rows(50, 100)]),
  ];
};
