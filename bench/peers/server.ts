import { fastify } from 'fastify';
// By path: the manifest of this folder has no `imports`.
import { fold } from '../../shared/catalog/folded-text.ts';
import {
  type FieldFilter,
  facets,
  type Listing,
  type ListQuery,
  type Match,
  matches,
  type Sort,
  type Store,
  sorts,
} from './directory.ts';
import { listen, listingsFile } from './listening.ts';

// The HTTP API of a peer: list and single read as in the contract.

const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;
const texts = { type: 'array', items: text } as const;
const whole = { type: 'integer' } as const;
const degrees = { type: ['number', 'null'] } as const;

const listing = {
  type: 'object',
  properties: {
    id: text,
    slug: text,
    plan: text,
    name: text,
    url: text,
    description: text,
    long_description: textOrNull,
    categories: texts,
    spheres: texts,
    tags: texts,
    logo_url: textOrNull,
    screenshots: texts,
    video_url: textOrNull,
    pricing_type: text,
    status: text,
    owner_id: text,
    upvote_count: whole,
    average_rating: { type: 'number' },
    weighted_rating: { type: 'number' },
    ratings_count: whole,
    comments_count: whole,
    views_count: whole,
    latitude: degrees,
    longitude: degrees,
    address_city: textOrNull,
    address_country: textOrNull,
    created_at: text,
    updated_at: text,
    published_at: textOrNull,
    deleted_at: textOrNull,
    fields: { type: 'object', additionalProperties: true },
  },
} as const;

const counts = {
  type: 'array',
  items: { type: 'object', properties: { value: text, count: whole } },
} as const;

const list = {
  type: 'object',
  properties: {
    data: { type: 'array', items: listing },
    meta: {
      type: 'object',
      properties: {
        total: whole,
        page: whole,
        pageSize: whole,
        hasMore: { type: 'boolean' },
        nextCursor: textOrNull,
        facets: { type: 'object', properties: Object.fromEntries(facets.map((name) => [name, counts])) },
      },
    },
  },
} as const;

const query = {
  type: 'object',
  properties: {
    category: text,
    sphere: text,
    pricing: { type: 'string', enum: ['all', 'free', 'freemium', 'paid'], default: 'all' },
    sort: { type: 'string', enum: sorts, default: 'newest' },
    q: { type: 'string', maxLength: 100 },
    match: { type: 'string', enum: matches, default: 'substring' },
    bbox: { type: 'string', pattern: '^-?[\\d.]+,-?[\\d.]+,-?[\\d.]+,-?[\\d.]+$' },
    facets: text,
    page: { type: 'integer', minimum: 1, default: 1 },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 40 },
  },
} as const;

interface QueryString {
  readonly match: Match;
  readonly [filter: `filter[${string}]`]: string | undefined;
  readonly category?: string;
  readonly sphere?: string;
  readonly pricing: string;
  readonly sort: Sort;
  readonly q?: string;
  readonly bbox?: string;
  readonly facets?: string;
  readonly page: number;
  readonly limit: number;
}

const separated = (value: string | undefined): string[] => value?.split(',').filter((part) => part !== '') ?? [];

const FILTER = /^filter\[(\w+)\]$/;
const RANGE = /^([\d.]+)\.\.([\d.]+)$/;

const fieldFilters = (listQuery: QueryString): FieldFilter[] =>
  Object.entries(listQuery).flatMap(([name, value]): FieldFilter[] => {
    const key = FILTER.exec(name)?.[1];
    if (key === undefined) return [];
    const range = RANGE.exec(String(value));
    return range
      ? [{ key, from: Number(range[1]), to: Number(range[2]) }]
      : [{ key, values: separated(String(value)) }];
  });

const queryOf = (listQuery: QueryString): ListQuery => ({
  category: separated(listQuery.category),
  sphere: separated(listQuery.sphere),
  pricing: listQuery.pricing === 'all' ? undefined : listQuery.pricing,
  q: fold(listQuery.q?.trim() ?? '') || undefined,
  bbox:
    listQuery.bbox === undefined
      ? undefined
      : (listQuery.bbox.split(',').map(Number) as [number, number, number, number]),
  match: listQuery.match,
  fields: fieldFilters(listQuery),
  sort: listQuery.sort,
  page: listQuery.page,
  limit: listQuery.limit,
  facets: facets.filter((name) => separated(listQuery.facets).includes(name)),
});

/** The position after the last listing of a page. */
const cursorOf = (sort: Sort, last: Listing): string =>
  Buffer.from(JSON.stringify([sort, last.published_at, last.upvote_count, last.average_rating, last.id])).toString(
    'base64url',
  );

const vote = {
  type: 'object',
  required: ['by', 'hot'],
  properties: { by: { type: 'integer', enum: [1, -1] }, hot: { type: 'number' } },
};

/** Serves a store, see `listen`. */
export const serve = async (open: (listingsFile: string) => Promise<Store>): Promise<void> => {
  const store = await open(listingsFile());
  const app = fastify({ logger: false });
  app.get<{ Querystring: QueryString }>(
    '/api/projects',
    { schema: { querystring: query, response: { 200: list } } },
    async (request) => {
      const listQuery = queryOf(request.query);
      const { listings, total, facets: counted } = await store.list(listQuery);
      const hasMore = listQuery.page * listQuery.limit < total;
      const last = listings.at(-1);
      return {
        data: listings,
        meta: {
          total,
          page: listQuery.page,
          pageSize: listQuery.limit,
          hasMore,
          nextCursor: hasMore && last ? cursorOf(listQuery.sort, last) : null,
          ...(counted && { facets: counted }),
        },
      };
    },
  );
  app.get<{ Params: { slug: string } }>(
    '/api/projects/:slug',
    { schema: { response: { 200: { type: 'object', properties: { data: listing } } } } },
    async (request, reply) => {
      const found = await store.find(request.params.slug);
      if (found) return { data: found };
      return await reply.code(404).send({ error: 'NOT_FOUND' });
    },
  );
  app.post<{ Params: { slug: string }; Body: { by: 1 | -1; hot: number } }>(
    '/api/projects/:slug/upvote',
    { schema: { body: vote } },
    async ({ params: { slug }, body: { by, hot } }) => {
      await store.vote(slug, by, hot);
      return {};
    },
  );
  await listen(app, () => store.close());
};
