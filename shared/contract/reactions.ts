import * as z from 'zod';
import { data, integer } from './fields.ts';
import { defineRoute } from './route.ts';

const Upvote = z
  .object({
    upvoted: z.boolean().describe('Whether the caller has upvoted the project.'),
    upvote_count: z.int().min(0).describe('The number of upvotes of the project.'),
  })
  .meta({ id: 'Upvote' });
export type Upvote = z.infer<typeof Upvote>;

const voting = {
  path: '/api/projects/{project}/upvote',
  auth: 'user',
  tier: 'voting',
  responses: { 200: data(Upvote) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get'],
  writes: ['projects'],
} as const;

/** A vote is stored with a hash of its network. */
const fromVisitor = { visitor: true, writes: ['projects', 'vote-salts'] } as const;

export const toggle = defineRoute('votes.toggle', {
  ...voting,
  method: 'POST',
  summary: 'Toggle the upvote',
  description: 'Not idempotent; clients that retry set or clear the upvote instead.',
  ...fromVisitor,
});

export const cast = defineRoute('votes.cast', {
  ...voting,
  method: 'PUT',
  summary: 'Upvote',
  description: 'Idempotent, for clients that retry.',
  ...fromVisitor,
});

export const withdraw = defineRoute('votes.withdraw', {
  ...voting,
  method: 'DELETE',
  summary: 'Remove the upvote',
  description: 'Idempotent, for clients that retry.',
});

const Rated = z
  .object({
    rating: z.int().min(1).max(5).nullable().describe("The caller's rating; null after removal."),
    average_rating: z.number().min(0).max(5).describe('Rounded to two decimals.'),
    ratings_count: z.int().min(0),
  })
  .meta({ id: 'Rated' });
export type Rated = z.infer<typeof Rated>;

const rating = {
  path: '/api/projects/{project}/ratings',
  auth: 'user',
  tier: 'voting',
  feature: 'ratings',
  responses: { 200: data(Rated) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get'],
  writes: ['projects'],
} as const;

export const rate = defineRoute('ratings.rate', {
  ...rating,
  method: 'POST',
  summary: 'Rate a project',
  description: 'One rating per user and project; rating again replaces it.',
  body: z.object({ rating: integer(1, 5).describe('1 (poor) to 5 (excellent).') }).meta({ id: 'RatingBody' }),
});

export const remove = defineRoute('ratings.remove', {
  ...rating,
  method: 'DELETE',
  summary: 'Remove the rating',
  description: 'The average and the count are returned without it. Also succeeds when there is none.',
});
