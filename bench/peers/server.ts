import { parseArgs } from 'node:util';
import { fastify } from 'fastify';
import { fold } from '../../shared/catalog/fold.ts';
import { facets, type Listing, type ListQuery, type Sort, type Store, sorts } from './directory.ts';

/** The list and the single read in front of a store, as the contract has them. */

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
    bbox: { type: 'string', pattern: '^-?[\\d.]+,-?[\\d.]+,-?[\\d.]+,-?[\\d.]+$' },
    facets: text,
    page: { type: 'integer', minimum: 1, default: 1 },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 40 },
  },
} as const;

interface Asked {
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

const queryOf = (asked: Asked): ListQuery => ({
  category: separated(asked.category),
  sphere: separated(asked.sphere),
  pricing: asked.pricing === 'all' ? undefined : asked.pricing,
  q: fold(asked.q?.trim() ?? '') || undefined,
  bbox: asked.bbox === undefined ? undefined : (asked.bbox.split(',').map(Number) as [number, number, number, number]),
  sort: asked.sort,
  page: asked.page,
  limit: asked.limit,
  facets: facets.filter((name) => separated(asked.facets).includes(name)),
});

/** What the next page begins after. */
const placeOf = (sort: Sort, last: Listing): string =>
  Buffer.from(JSON.stringify([sort, last.published_at, last.upvote_count, last.average_rating, last.id])).toString(
    'base64url',
  );

const { values: options } = parseArgs({ options: { listings: { type: 'string' } } });

/**
 * Serves a store on a free port of the loopback and says on its output at which. It ends when its input does, which the
 * kernel sees to should whoever started it die.
 */
export const serve = async (open: (listingsFile: string) => Promise<Store>): Promise<void> => {
  if (options.listings === undefined)
    throw new Error('--listings must name the file that bench/catalog/load.ts makes.');
  const store = await open(options.listings);
  const app = fastify({ logger: false });
  app.get<{ Querystring: Asked }>(
    '/api/projects',
    { schema: { querystring: query, response: { 200: list } } },
    async (request) => {
      const asked = queryOf(request.query);
      const { listings, total, facets: counted } = await store.list(asked);
      const hasMore = asked.page * asked.limit < total;
      const last = listings.at(-1);
      return {
        data: listings,
        meta: {
          total,
          page: asked.page,
          pageSize: asked.limit,
          hasMore,
          nextCursor: hasMore && last ? placeOf(asked.sort, last) : null,
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
  app.post<{ Params: { slug: string }; Body: { by: 1 | -1 } }>(
    '/api/projects/:slug/upvote',
    { schema: { body: { type: 'object', required: ['by'], properties: { by: { type: 'integer', enum: [1, -1] } } } } },
    async (request) => {
      await store.vote(request.params.slug, request.body.by);
      return {};
    },
  );
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  let ending = false;
  const end = async (): Promise<void> => {
    if (ending) return;
    ending = true;
    await app.close();
    await store.close();
    process.exit(0);
  };
  process.stdin.resume().once('end', () => void end());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end());
  process.stdout.write(`${JSON.stringify({ port: Number(new URL(address).port) })}\n`);
};
