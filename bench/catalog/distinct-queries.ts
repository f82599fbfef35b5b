import { LEVELS, PRICES } from './fields.ts';
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
 * @param hasFields whether listings have values of fields.
 * @throws Error when a kind has fewer variants.
 */
export const distinctKinds = (
  size: number,
  count: number,
  seed: number,
  hasFields: boolean,
): readonly RequestKind[] => {
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

  const distinct = (name: string, pathOf: () => string): string[] => {
    const paths = new Set<string>();
    for (let attempt = 0; paths.size < count; attempt += 1) {
      if (attempt === count * ATTEMPTS) throw new Error(`There are only ${paths.size} distinct queries of "${name}".`);
      paths.add(pathOf());
    }
    return [...paths];
  };

  const kind = (name: string, queryOf: () => readonly string[]): RequestKind => ({
    name,
    kind: 'distinct',
    paths: distinct(name, () => `/api/projects?${queryOf().join('&')}`),
  });

  const word = (): string =>
    random.next() < 0.4
      ? pick(COMMON.filter((one) => one.length > 3))
      : pick(SYLLABLES) + pick(SYLLABLES) + pick(SYLLABLES);

  /** One letter missing, too many, or replaced; never the first one. */
  const mistyped = (text: string): string => {
    const at = 1 + random.below(text.length - 1);
    const typed = random.next() < 0.5 ? 'x' : 'o';
    return text.slice(0, at) + pick(['', typed, typed + text.charAt(at)]) + text.slice(at + 1);
  };

  /** One or two words, of which `typed` changes the first. */
  const words = (typed: (text: string) => string): string =>
    [typed(word()), ...(random.next() < 0.5 ? [word()] : [])].join('%20');

  const ranked = (name: string, match: 'words' | 'fuzzy', textOf: () => string): RequestKind => ({
    name,
    kind: 'ranked',
    paths: distinct(name, () => `/api/projects?q=${textOf()}&match=${match}&sort=relevance`),
  });

  /** The zoom at which a window of 1,280 pixels shows so many degrees. */
  const zoomOf = (degrees: number): number => Math.max(0, Math.round(Math.log2((360 / degrees) * 5)));

  /** A part of the map: the world, a continent or a country, somewhere. */
  const window = (): string => {
    const width = pick(['360', '60', '12']);
    const degrees = Number(width);
    const west = degrees === 360 ? -180 : -170 + random.next() * (340 - degrees);
    const south = degrees === 360 ? -80 : -50 + random.next() * 40;
    const corners = [west, south, west + degrees, Math.min(80, south + degrees / 2 + random.next())];
    return `bbox=${corners.map((corner) => corner.toFixed(4)).join(',')}&zoom=${zoomOf(degrees) % 20}`;
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
    ...(hasFields
      ? [
          kind('two fields, facets, field sort', () => {
            const from = random.below(PRICES / 2);
            return [
              `filter[level]=${pick(LEVELS)},${pick(LEVELS)}`,
              `filter[price]=${from}..${from + 100 + random.below(PRICES / 2)}`,
              'facets=fields.level,fields.platforms,category',
              'sort=fields.price',
            ];
          }),
        ]
      : []),
    ranked('fuzzy, by relevance', 'fuzzy', () => words(mistyped)),
    ranked('words, by relevance', 'words', () => words((text) => text)),
    {
      name: 'suggestions',
      kind: 'ranked',
      servers: ['service'],
      paths: distinct('suggestions', () => {
        const typed = words((text) => text);
        return `/api/search/suggest?q=${typed.slice(0, 2 + random.below(typed.length - 1))}`;
      }),
    },
    {
      name: 'clusters',
      kind: 'clusters',
      servers: ['service', 'supercluster'],
      paths: distinct('clusters', () => `/api/projects/map?${window()}`),
    },
  ];
};
