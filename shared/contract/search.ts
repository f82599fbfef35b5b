import * as z from 'zod';
import { data, wholeNumber } from './fields.ts';
import { MatchRange, SearchText } from './projects.ts';
import { defineRoute } from './route.ts';

const ranges = z.array(MatchRange).describe('The matches in the name, as in `meta.search.highlights` of lists.');

/** What a search box suggests while a visitor types. */
export const Suggestions = z
  .object({
    projects: z
      .array(
        z.object({
          id: z.string(),
          slug: z.string(),
          name: z.string(),
          logo_url: z.string().nullable(),
          categories: z.array(z.string()).describe('Category slugs.'),
          ranges,
        }),
      )
      .describe('The first of `GET /api/projects?match=fuzzy&sort=relevance`.'),
    categories: z
      .array(z.object({ slug: z.string(), name: z.string(), project_count: z.int().min(0), ranges }))
      .describe('Those with every word in their name, most listings first; the last word may be the beginning of one.'),
    queries: z
      .array(z.string())
      .describe('What at least five visitors searched for within 30 days, with results. None while analytics is off.'),
  })
  .meta({ id: 'Suggestions' });
export type Suggestions = z.infer<typeof Suggestions>;

export const suggest = defineRoute('search.suggest', {
  method: 'GET',
  path: '/api/search/suggest',
  summary: 'Suggest listings, categories and searches',
  description: 'For a search box, at each key press. A blank `q` has no suggestions.',
  auth: 'public',
  tier: 'general',
  feature: 'search',
  query: z.object({
    q: SearchText.describe('What has been typed so far.'),
    limit: wholeNumber(1, 10).default(5).describe('The most entries of each list.'),
  }),
  responses: { 200: data(Suggestions) },
  permissions: ['catalog', 'table:query'],
  cacheSeconds: 60,
});
