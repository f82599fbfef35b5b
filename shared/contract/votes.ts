import * as z from 'zod';
import { data } from './fields.ts';
import { defineRoute } from './route.ts';

const Upvote = z
  .object({
    upvoted: z.boolean().describe('Whether the caller has upvoted the project.'),
    upvote_count: z.int().min(0).describe('The number of upvotes of the project.'),
  })
  .meta({ id: 'Upvote' });
export type Upvote = z.infer<typeof Upvote>;

const common = {
  path: '/api/projects/{project}/upvote',
  auth: 'user',
  tier: 'voting',
  replies: { 200: data(Upvote) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:write'],
} as const;

export const toggle = defineRoute('votes.toggle', {
  ...common,
  method: 'POST',
  summary: 'Toggle the upvote',
  description: 'Not idempotent; clients that retry set or clear the upvote instead.',
});

export const cast = defineRoute('votes.cast', {
  ...common,
  method: 'PUT',
  summary: 'Upvote',
  description: 'Idempotent, for clients that retry.',
});

export const withdraw = defineRoute('votes.withdraw', {
  ...common,
  method: 'DELETE',
  summary: 'Remove the upvote',
  description: 'Idempotent, for clients that retry.',
});
