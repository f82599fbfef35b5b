import * as z from 'zod';
import { data } from './envelope.ts';
import { defineRoute } from './route.ts';

const Upvote = z
  .object({
    upvoted: z.boolean().describe("Whether the caller's upvote now stands."),
    upvote_count: z.int().min(0).describe('All upvotes of the project.'),
  })
  .meta({ id: 'Upvote' });
export type Upvote = z.infer<typeof Upvote>;

const common = {
  path: '/api/projects/{project}/upvote',
  auth: 'user',
  tier: 'voting',
  replies: { 200: data(Upvote) },
  failures: ['NOT_FOUND'],
  needs: ['table:get', 'table:write'],
} as const;

export const toggle = defineRoute('votes.toggle', {
  ...common,
  method: 'POST',
  summary: 'Toggle the upvote',
});

export const cast = defineRoute('votes.cast', {
  ...common,
  method: 'PUT',
  summary: 'Upvote',
  description: 'Does nothing when the upvote stands already: for clients that retry.',
});

export const withdraw = defineRoute('votes.withdraw', {
  ...common,
  method: 'DELETE',
  summary: 'Take the upvote back',
  description: 'Does nothing when there is none: for clients that retry.',
});
