import * as z from 'zod';
import type { Language } from './languages.ts';
import { list } from './projects.ts';
import { defineRoute, type Route, type TextResponse } from './route.ts';

const page = {
  stream: false,
  contentType: 'text/html; charset=utf-8',
  description: 'The page.',
} as const satisfies TextResponse;

const moved = { ...page, description: 'The page is at the address in `Location`.' } as const satisfies TextResponse;

/**
 * Pages read what the public API shows, in the process of their function. One function answers all of them: they share the catalog in its
 * memory.
 */
const shared = {
  method: 'GET',
  handlerId: 'site.read',
  auth: 'public',
  tier: 'general',
  feature: 'site',
  errorPages: true,
  permissions: ['catalog', 'table:get', 'table:query', 'sign-in', 'site'],
} as const;

/** A parameter that the page itself validates: a wrong value is a page with a message. */
const lenient = z.union([z.string(), z.array(z.string())]).optional();

/** The parameters of the API's list that pages of lists take. */
export const listParameters = [
  'q',
  'match',
  'category',
  'sphere',
  'tag',
  'pricing',
  'sort',
  'page',
  'bbox',
  'near',
  'radius_km',
] as const satisfies readonly (keyof typeof list.query.shape)[];

/** By the key of a field. */
const byField = z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional();

const listQuery = z.object({
  ...Object.fromEntries(
    listParameters.map((name) => {
      const description = list.query.shape[name].description;
      return [name, description === undefined ? lenient : lenient.describe(description)];
    }),
  ),
  filter: byField.describe('As in `GET /api/projects`.'),
  from: byField.describe('As a form sends it: the begin of the range of a filter.'),
  to: byField.describe('As a form sends it: the end of the range of a filter.'),
});

export const home = defineRoute('site.home', {
  ...shared,
  path: '/',
  summary: 'Open the home page',
  description:
    'Search, promoted, trending and newest listings, and the categories. With several `SITE_LANGUAGES`, each page is in the first one at its path, and in the others below `/{language}`, such as `/de/projects`; other prefixes are 404.',
  responses: { 200: page },
});

/** A list of cards; also declares the input of all pages that the function `site.read` answers. */
export const read = defineRoute('site.read', {
  ...shared,
  path: '/projects',
  summary: 'Open the list of listings',
  description: 'The query is that of `GET /api/projects`. A wrong value is a page with a message.',
  query: listQuery,
  responses: { 200: page, 301: moved },
  failures: ['INVALID_INPUT', 'NOT_FOUND'],
});

export const project = defineRoute('site.project', {
  ...shared,
  path: '/projects/{project}',
  summary: 'Open a listing',
  description: 'An earlier slug and the id are 301. What is not live is a page with 404.',
  responses: { 200: page, 301: moved },
  failures: ['NOT_FOUND'],
});

export const categories = defineRoute('site.categories', {
  ...shared,
  path: '/categories',
  summary: 'Open the list of categories',
  description: 'All categories by sphere.',
  responses: { 200: page },
});

export const category = defineRoute('site.category', {
  ...shared,
  path: '/categories/{category}',
  summary: 'Open a category',
  description:
    'Its listings, with the query of `/projects`. An earlier slug, that of a merged category and an id are 301.',
  query: listQuery,
  responses: { 200: page, 301: moved },
  failures: ['INVALID_INPUT', 'NOT_FOUND'],
});

export const collection = defineRoute('site.collection', {
  ...shared,
  path: '/collections/{collection}',
  summary: 'Open a collection',
  description:
    'Its live listings, with the query of `/projects`; in its order without `sort`. An earlier slug and an id are 301; one that is not public is a page with 404.',
  query: listQuery,
  responses: { 200: page, 301: moved },
  failures: ['INVALID_INPUT', 'NOT_FOUND'],
});

const textPage = { ...shared, responses: { 200: page }, failures: ['NOT_FOUND'] } as const;

export const about = defineRoute('site.about', {
  ...textPage,
  path: '/about',
  summary: 'Open the text about the directory',
  description: 'A text of `GET /api/admin/site`; 404 while it is empty.',
});

export const legal = defineRoute('site.legal', {
  ...textPage,
  path: '/legal/{text}',
  summary: 'Open a legal text',
  description: '`imprint`, `privacy` or `terms` of `GET /api/admin/site`; 404 while it is empty.',
});

export const signIn = defineRoute('site.signIn', {
  ...shared,
  path: '/sign-in',
  summary: 'Open the page to sign in',
  description:
    'Signs in at the issuer, which returns to it, and continues on the page of `return_to`: a path of this site, else the home page.',
  responses: { 200: page },
});

export const me = defineRoute('site.me', {
  ...shared,
  path: '/me',
  summary: 'Open the account of the visitor',
  description: 'The page is the same for all callers; its script shows what belongs to the signed-in user.',
  responses: { 200: page },
});

export const map = defineRoute('site.map', {
  ...shared,
  path: '/map',
  summary: 'Open the map',
  description:
    'The listings with a place, with the query of `/projects`; its script draws them in clusters. 404 while the feature `map` is off.',
  query: listQuery,
  responses: { 200: page, 301: moved },
  failures: ['INVALID_INPUT', 'NOT_FOUND'],
});

export const submit = defineRoute('site.submit', {
  ...shared,
  path: '/submit',
  summary: 'Open the form of a submission',
  description:
    'The page is the same for all callers; its script saves a draft, shows a preview and submits. `draft=` continues a draft of the signed-in user.',
  responses: { 200: page },
});

export const checkoutSuccess = defineRoute('site.checkoutSuccess', {
  ...shared,
  path: '/checkout/success',
  summary: 'Open the page after a payment',
  description: 'The payment page returns to it with `checkout=`. Its script shows the buyer what was paid for.',
  responses: { 200: page },
});

export const checkoutCancel = defineRoute('site.checkoutCancel', {
  ...shared,
  path: '/checkout/cancel',
  summary: 'Open the page after a payment was cancelled',
  description: 'The payment page returns to it with `checkout=`. Its script shows the buyer how to go on.',
  responses: { 200: page },
});

export const asset = defineRoute('site.asset', {
  ...shared,
  path: '/assets/{file}',
  summary: 'Read a file of the pages',
  description: 'Scripts, style sheets and images. Their names have a digest, so they may be kept for ever.',
  responses: {
    200: {
      stream: false,
      contentType: 'text/css; charset=utf-8',
      otherTypes: ['text/javascript; charset=utf-8', 'image/svg+xml', 'application/json; charset=utf-8'],
      description: 'The file.',
    },
  },
  failures: ['NOT_FOUND'],
});

/**
 * The pages in further languages, as gateways serve them. Three paths stand for all pages of a language, because every path makes
 * the document of a gateway longer. The table has each page once.
 */
export const translatedPages = (languages: readonly Language[]): readonly Route[] =>
  languages.slice(1).flatMap((language) =>
    (
      [
        ['Home', ''],
        ['Page', '/{page}'],
        ['Part', '/{page}/{part}'],
      ] as const
    ).map(([name, path]): Route => ({ ...read, id: `site.${language}${name}`, path: `/${language}${path}` })),
  );
