import * as z from 'zod';
import { data, integer } from './fields.ts';
import { defineRoute } from './route.ts';

const Rated = z
  .object({
    rating: z.int().min(1).max(5).nullable().describe("The caller's rating; null after removal."),
    average_rating: z.number().min(0).max(5).describe('Rounded to two decimals.'),
    ratings_count: z.int().min(0),
  })
  .meta({ id: 'Rated' });
export type Rated = z.infer<typeof Rated>;

export const rate = defineRoute('ratings.rate', {
  method: 'POST',
  path: '/api/projects/{project}/ratings',
  summary: 'Rate a project',
  description: 'One rating per user and project; rating again replaces it.',
  auth: 'user',
  tier: 'voting',
  feature: 'ratings',
  body: z.object({ rating: integer(1, 5).describe('1 (poor) to 5 (excellent).') }).meta({ id: 'RatingBody' }),
  replies: { 200: data(Rated) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:write'],
});

export const remove = defineRoute('ratings.remove', {
  method: 'DELETE',
  path: '/api/projects/{project}/ratings',
  summary: 'Remove the rating',
  description: 'The average and the count are returned without it. Also succeeds when there is none.',
  auth: 'user',
  tier: 'voting',
  feature: 'ratings',
  replies: { 200: data(Rated) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:write'],
});
