import * as z from 'zod';
import { Reference } from './fields.ts';
import { map, optionalFilters } from './projects.ts';
import { defineRoute } from './route.ts';

const shared = {
  method: 'GET',
  auth: 'public',
  tier: 'general',
  feature: 'feeds',
} as const;

/** The number of entries of a feed. */
export const FEED_MAX = 50;

/** The filters of the list, which the map has too. */
const { zoom: _zoom, ...filters } = map.query.shape;

const feed = {
  ...shared,
  description: `The newest ${FEED_MAX} live listings, with the filters of the list; of a collection, the first ones in its order. The id of an entry is permanent: it is that of the listing. Its date is the publication.`,
  query: z.object({
    ...filters,
    collection: Reference.optional().describe(
      'The id, slug or earlier slug of a public collection: only its listings, in its order. Ignored while the feature `collections` is off.',
    ),
  }),
  optionalQuery: optionalFilters,
  failures: ['NOT_FOUND'],
  permissions: ['catalog', 'table:query', 'table:get'],
  cacheSeconds: 300,
} as const;

export const read = defineRoute('feeds.read', {
  ...feed,
  path: '/feed.xml',
  summary: 'Read the RSS feed',
  responses: {
    200: {
      stream: false,
      contentType: 'application/rss+xml; charset=utf-8',
      otherTypes: ['application/atom+xml; charset=utf-8', 'application/feed+json; charset=utf-8'],
      description: 'RSS 2.0.',
    },
  },
});

export const readAtom = defineRoute('feeds.readAtom', {
  ...feed,
  handlerId: 'feeds.read',
  path: '/atom.xml',
  summary: 'Read the Atom feed',
  responses: {
    200: { stream: false, contentType: 'application/atom+xml; charset=utf-8', description: 'Atom 1.0.' },
  },
});

export const readJson = defineRoute('feeds.readJson', {
  ...feed,
  handlerId: 'feeds.read',
  path: '/feed.json',
  summary: 'Read the JSON Feed',
  responses: {
    200: { stream: false, contentType: 'application/feed+json; charset=utf-8', description: 'JSON Feed 1.1.' },
  },
});

export const BadgeKind = z.enum(['listed', 'upvotes', 'rating']);
export type BadgeKind = z.infer<typeof BadgeKind>;

export const BadgeTheme = z.enum(['light', 'dark']);
export type BadgeTheme = z.infer<typeof BadgeTheme>;

export const readBadge = defineRoute('feeds.readBadge', {
  ...shared,
  path: '/badges/{file}',
  summary: 'Read a badge',
  description:
    "`{file}` is a project's id, slug or earlier slug, and `.svg`. An image that the site of a live listing can show, from any origin.",
  query: z.object({
    kind: BadgeKind.default('listed').describe('What the badge says.'),
    theme: BadgeTheme.default('light').describe('The background that it is made for.'),
  }),
  responses: { 200: { stream: false, contentType: 'image/svg+xml', description: 'An SVG image of at most 4 KB.' } },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query'],
  cacheSeconds: 600,
});

const sitemap = {
  ...shared,
  handlerId: 'feeds.readSitemap',
  permissions: ['catalog', 'table:query'],
  cacheSeconds: 300,
} as const;

export const readSitemapIndex = defineRoute('feeds.readSitemapIndex', {
  ...sitemap,
  path: '/sitemap.xml',
  summary: 'Read the index of the sitemap',
  description: 'The parts of the sitemap with the last change in each.',
  responses: { 200: { stream: false, contentType: 'application/xml; charset=utf-8', description: 'A sitemap index.' } },
});

export const readSitemap = defineRoute('feeds.readSitemap', {
  ...sitemap,
  path: '/sitemaps/{file}',
  summary: 'Read a part of the sitemap',
  description:
    '`pages.xml` has the pages of the site, the numbered parts have its listings in the order of their creation: a listing stays in its part. Those of a further language begin with it: `de-pages.xml`.',
  responses: { 200: { stream: false, contentType: 'application/xml; charset=utf-8', description: 'A sitemap.' } },
  failures: ['NOT_FOUND'],
});

const plainText = { stream: false, contentType: 'text/plain; charset=utf-8' } as const;

/** One function answers both texts: a stack has at most 500 resources. */
const texts = {
  ...shared,
  handlerId: 'feeds.readLlms',
  permissions: ['catalog', 'table:query'],
  cacheSeconds: 300,
} as const;

export const readRobots = defineRoute('feeds.readRobots', {
  ...texts,
  path: '/robots.txt',
  summary: 'Read what crawlers may read',
  description: 'The rules of RFC 9309, and the address of the sitemap.',
  responses: { 200: { ...plainText, description: 'The rules of RFC 9309, and the sitemap.' } },
});

/** The file name of the key while there is none. */
const NO_INDEXNOW_KEY = 'indexnow-key';

export const readIndexNowKey = defineRoute('feeds.readIndexNowKey', {
  ...texts,
  path: '/{indexnow}.txt',
  summary: 'Read the key of IndexNow',
  description:
    'Proves to search engines that changes are reported by this site. It has one address, that of the key; while no key is configured, it is 404.',
  responses: { 200: { ...plainText, description: 'The key.' } },
  failures: ['NOT_FOUND'],
});

/** The routes as a deployment serves them. A gateway knows no variable within a segment, and the key is known before. */
export const servedRoutes = <R extends { readonly path: string }>(
  routes: readonly R[],
  indexNowKey: string = NO_INDEXNOW_KEY,
): readonly R[] => routes.map((route) => ({ ...route, path: route.path.replace('{indexnow}', indexNowKey) }));

export const readLlms = defineRoute('feeds.readLlms', {
  ...texts,
  path: '/llms.txt',
  summary: 'Read the site for language models',
  description: 'In the format of llms.txt, version 2.',
  responses: { 200: { ...plainText, description: 'Name, summary, categories and addresses, in Markdown.' } },
});
