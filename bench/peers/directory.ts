import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** A listing as its callers see it: the members of `Project` in the contract. */
export interface Listing {
  readonly id: string;
  readonly slug: string;
  readonly plan: string;
  readonly name: string;
  readonly url: string;
  readonly description: string;
  readonly long_description: string | null;
  readonly categories: readonly string[];
  readonly spheres: readonly string[];
  readonly tags: readonly string[];
  readonly logo_url: string | null;
  readonly screenshots: readonly string[];
  readonly video_url: string | null;
  readonly pricing_type: string;
  readonly status: string;
  readonly owner_id: string;
  readonly upvote_count: number;
  readonly average_rating: number;
  readonly ratings_count: number;
  readonly comments_count: number;
  readonly views_count: number;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly address_city: string | null;
  readonly address_country: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly published_at: string | null;
  readonly deleted_at: string | null;
}

/** A line of the file that the bench makes. */
export interface Line {
  readonly view: Listing;
  /** What it is called, folded: what it is sorted by. */
  readonly name: string;
  /** How much it is trending; see `hotness`. */
  readonly hot: number;
  /** Name, description, host and tags, folded, with U+0001 between them. */
  readonly search: string;
}

/** The members of a listing in the order in which they are answered. */
export const members = [
  'id',
  'slug',
  'plan',
  'name',
  'url',
  'description',
  'long_description',
  'categories',
  'spheres',
  'tags',
  'logo_url',
  'screenshots',
  'video_url',
  'pricing_type',
  'status',
  'owner_id',
  'upvote_count',
  'average_rating',
  'ratings_count',
  'comments_count',
  'views_count',
  'latitude',
  'longitude',
  'address_city',
  'address_country',
  'created_at',
  'updated_at',
  'published_at',
  'deleted_at',
] as const satisfies readonly (keyof Listing)[];

/** What a caller of a list asks for. */
export interface ListQuery {
  readonly category: readonly string[];
  readonly sphere: readonly string[];
  readonly pricing: string | undefined;
  /** Folded. */
  readonly q: string | undefined;
  /** West, south, east, north; west greater than east crosses the date line. */
  readonly bbox: readonly [number, number, number, number] | undefined;
  readonly sort: Sort;
  readonly page: number;
  readonly limit: number;
  readonly facets: readonly Facet[];
}

export const sorts = ['newest', 'oldest', 'upvotes', 'rating', 'views', 'name', 'trending'] as const;
export type Sort = (typeof sorts)[number];

export const facets = ['category', 'sphere', 'pricing', 'tag'] as const;
export type Facet = (typeof facets)[number];

export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

/** A page of a list with exact counts. */
export interface ListAnswer {
  readonly listings: readonly Listing[];
  readonly total: number;
  readonly facets?: Readonly<Partial<Record<Facet, readonly FacetCount[]>>>;
}

/** A database with the directory in it. */
export interface Store {
  list(query: ListQuery): Promise<ListAnswer> | ListAnswer;
  find(slug: string): Promise<Listing | undefined> | Listing | undefined;
  /** Counts upvotes: one more, or with -1 one less. */
  vote(slug: string, by: 1 | -1): Promise<void> | void;
  close(): Promise<void> | void;
}

/** Whether anybody may see it. */
export const isShown = ({ status, deleted_at }: Listing): boolean => status === 'live' && deleted_at === null;

const BATCH = 1000;

/** The lines of a file, a batch at a time. */
export async function* linesOf(file: string): AsyncGenerator<readonly Line[]> {
  let batch: Line[] = [];
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    batch.push(JSON.parse(line) as Line);
    if (batch.length === BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** A pattern of LIKE for a text anywhere, with `\` before what LIKE would take for a sign. */
export const anywhere = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
