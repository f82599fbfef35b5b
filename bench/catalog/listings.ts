import type { CatalogChange } from '#catalog/types.ts';
import type { CategoryRecord } from '#model/category.ts';
import { type ProjectCounts, type ProjectRecord, unsetFields } from '#model/project.ts';
import { fieldValues } from './fields.ts';

/** Words that many listings contain. */
export const COMMON =
  'the and for with your to a of in that you is on it from all as an or by are can every more one easy open source platform tool tools team teams data app apps build free simple fast work time new code project manage management design web online help best business create software developers marketing customer customers analytics content social video image email automation workflow security cloud mobile api community learning product products service services users support track tracking search share real smart powered integration dashboard website store small startup startups local city travel music photo health fitness food finance money budget calendar notes writing editor library framework testing deploy monitoring'.split(
    ' ',
  );

/** Parts of the other words. */
export const SYLLABLES =
  'ka lo mi ra ne to ves dra pul sor ben qui zan fel mor ti gra lin os ter ja bu che ny wil fa ro du vi pra ston hel mar ek ul'.split(
    ' ',
  );

/** The first ones have more listings, see `shareOfCity`. */
export const CITIES: readonly (readonly [city: string, country: string, latitude: number, longitude: number])[] = [
  ['Berlin', 'Germany', 52.52, 13.4],
  ['Paris', 'France', 48.86, 2.35],
  ['London', 'United Kingdom', 51.51, -0.13],
  ['New York', 'United States', 40.71, -74.01],
  ['San Francisco', 'United States', 37.77, -122.42],
  ['São Paulo', 'Brazil', -23.55, -46.63],
  ['Tokyo', 'Japan', 35.68, 139.69],
  ['Bengaluru', 'India', 12.97, 77.59],
  ['Lagos', 'Nigeria', 6.52, 3.38],
  ['Sydney', 'Australia', -33.87, 151.21],
];

/** The share of listings without a location. */
const WITHOUT_LOCATION = 0.6;
/** Half of the side of the square that contains the listings of a city, in degrees. */
export const CITY_RADIUS = 1;
/** The share of all listings that a city has; the inverse of `#frequent`. */
export const shareOfCity = (city: number): number =>
  (1 - WITHOUT_LOCATION) * (Math.log((city + 2) / (city + 1)) / Math.log(CITIES.length));

const SPHERES = ['work', 'life', 'making', 'learning', 'places', 'play'];
export const CATEGORIES = 36;
const TAGS = 3000;
const WORDS = 9000;

/** Generates a directory with the distributions of real ones. Deterministic for a seed. */
export class Directory {
  #state: number;
  readonly #hasFields: boolean;
  readonly #words: readonly string[];
  readonly #tags: readonly string[];

  /** @param hasFields whether listings have values of fields. */
  constructor(seed: number, hasFields = false) {
    this.#state = seed >>> 0;
    this.#hasFields = hasFields;
    this.#words = [...COMMON, ...Array.from({ length: WORDS - COMMON.length }, () => this.#generatedWord())];
    this.#tags = Array.from({ length: TAGS }, (_, i) => this.#words[i * 3] as string);
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer from 0 to below `bound`. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** An integer below `bound`, small ones far more often, like word frequencies in a language. */
  #frequent(bound: number): number {
    return Math.floor(bound ** this.next()) - 1;
  }

  #generatedWord(): string {
    return Array.from({ length: 2 + this.below(3) }, () => SYLLABLES[this.below(SYLLABLES.length)]).join('');
  }

  #sentence(words: number): string {
    return `${Array.from({ length: words }, () => this.#words[this.#frequent(WORDS)]).join(' ')}.`;
  }

  #location(): Pick<ProjectRecord, 'latitude' | 'longitude' | 'address_city' | 'address_country'> {
    const city = CITIES[this.#frequent(CITIES.length)];
    if (!city || this.next() < WITHOUT_LOCATION) {
      return { latitude: null, longitude: null, address_city: null, address_country: null };
    }
    const [address_city, address_country, latitude, longitude] = city;
    return {
      latitude: latitude + (this.next() * 2 - 1) * CITY_RADIUS,
      longitude: longitude + (this.next() * 2 - 1) * CITY_RADIUS,
      address_city,
      address_country,
    };
  }

  /** The project with a number below `size`; greater numbers are newer. */
  project(number: number, size: number, version = 1): ProjectRecord {
    const brand = this.#generatedWord();
    const slug = `${brand}-${number.toString(36)}`;
    const created = new Date(
      Date.UTC(2023, 0, 1) + Math.floor((number / size) * 1.1e11) + this.below(1000),
    ).toISOString();
    const kind = this.next();
    const status = kind < 0.93 ? 'live' : kind < 0.97 ? 'pending' : 'rejected';
    return {
      ...unsetFields,
      id: projectId(number),
      slug,
      plan: this.next() < 0.1 ? 'premium' : 'standard',
      name: `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ${this.#words[this.#frequent(WORDS)]}`,
      url: `https://www.${slug}.${this.next() < 0.7 ? 'com' : 'io'}/`,
      description: this.#sentence(12 + this.below(35)),
      long_description: this.next() < 0.2 ? this.#sentence(100) : null,
      categories: [...new Set([0, 1].slice(this.below(2)).map(() => categorySlug(this.#frequent(CATEGORIES + 1))))],
      tags: [...new Set(Array.from({ length: this.below(7) }, () => this.#tags[this.#frequent(TAGS)] as string))],
      logo_url: `https://cdn.example.com/logos/${slug}.png`,
      screenshots: this.next() < 0.4 ? [`https://cdn.example.com/screens/${slug}/1.png`] : [],
      pricing_type: (['free', 'freemium', 'paid'] as const)[this.below(3)] ?? 'free',
      status,
      owner_id: `9f1c${this.below(Math.ceil(size / 4))
        .toString(16)
        .padStart(8, '0')}-6a77-4a0e-b4f6-3f1f1c8f0a11`,
      ...this.#location(),
      created_at: created,
      updated_at: created,
      published_at: status === 'live' ? created : null,
      deleted_at: this.next() < 0.01 ? created : null,
      field_values: this.#hasFields ? fieldValues(() => this.next()) : null,
      version,
    };
  }

  counts(version = 1): ProjectCounts {
    const ratings = this.#frequent(300);
    return {
      upvote_count: this.#frequent(5000),
      ratings_sum: Math.round(ratings * (2.5 + this.next() * 2.5)),
      ratings_count: ratings,
      comments_count: this.#frequent(100),
      views_count: this.#frequent(100_000),
      reports_open: 0,
      version,
    };
  }

  categories(): CategoryRecord[] {
    return Array.from({ length: CATEGORIES }, (_, i) => ({
      id: `cat_${i}`,
      slug: categorySlug(i),
      name: `Category ${i}`,
      sphere: sphere(i),
      description: null,
      icon: null,
      color: null,
      sort_order: i,
      created_at: '2023-01-01T00:00:00.000Z',
      updated_at: '2023-01-01T00:00:00.000Z',
      version: 1,
    }));
  }

  /** The directory as changes of the feed, generated lazily, so that only the reader keeps them in memory. */
  *changes(size: number): IterableIterator<CatalogChange> {
    for (const category of this.categories()) yield { kind: 'category', category };
    for (let i = 0; i < size; i += 1) {
      yield asRead({ kind: 'project', project: this.project(i, size) });
      if (i % 10 < 7) yield asRead({ kind: 'counts', projectId: projectId(i), counts: this.counts() });
    }
  }
}

/** Makes every string a separate one, as after a network response. */
const asRead = (change: CatalogChange): CatalogChange => JSON.parse(JSON.stringify(change));

export const projectId = (number: number): string => {
  // The digits of ULIDs leave out I, L, O and U; the order of ids stays that of numbers.
  const digits = [...number.toString(32)].map(
    (digit) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[Number.parseInt(digit, 32)],
  );
  return `prj_01J${digits.join('').padStart(23, '0')}`;
};
export const categorySlug = (number: number): string => `category-${number % CATEGORIES}`;
export const sphere = (number: number): string => SPHERES[number % SPHERES.length] ?? '';
