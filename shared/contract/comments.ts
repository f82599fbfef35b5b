import * as z from 'zod';
import { data, page, paging, Timestamp, text } from './fields.ts';
import { defineRoute } from './route.ts';

/** A comment as callers see it. */
export const Comment = z
  .object({
    id: z.string().describe('`cmt_` and a ULID.'),
    project_id: z.string(),
    content: z.string().describe('Plain text as written; the client escapes it for display.'),
    created_at: Timestamp,
    updated_at: Timestamp,
    user: z.object({
      id: z.string(),
      name: z.string().nullable(),
      avatar_url: z.string().nullable(),
      role: z.enum(['user', 'moderator', 'admin']),
    }),
  })
  .meta({ id: 'Comment' });
export type Comment = z.infer<typeof Comment>;

const CommentBody = z
  .object({ content: text(1, 2000).describe('Plain text of 1 to 2000 characters.') })
  .meta({ id: 'CommentBody' });

export const list = defineRoute('comments.list', {
  method: 'GET',
  path: '/api/projects/{project}/comments',
  summary: 'List the comments on a project',
  description: 'Newest first.',
  auth: 'public',
  tier: 'general',
  feature: 'comments',
  query: z.object(paging(20)),
  replies: { 200: page(Comment) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query'],
});

export const add = defineRoute('comments.add', {
  method: 'POST',
  path: '/api/projects/{project}/comments',
  summary: 'Comment on a project',
  description: 'Plain text, stored as written; readers escape it.',
  auth: 'user',
  tier: 'comments',
  feature: 'comments',
  body: CommentBody,
  replies: { 201: data(Comment) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:write'],
});

export const update = defineRoute('comments.update', {
  method: 'PUT',
  path: '/api/projects/{project}/comments/{comment}',
  summary: 'Update a comment',
  description: 'By its author, within 24 hours.',
  auth: 'user',
  tier: 'comments',
  feature: 'comments',
  body: CommentBody,
  replies: { 200: data(Comment) },
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  permissions: ['table:get', 'table:write'],
});

export const remove = defineRoute('comments.remove', {
  method: 'DELETE',
  path: '/api/projects/{project}/comments/{comment}',
  summary: 'Delete a comment',
  description: 'By its author or an administrator.',
  auth: 'user',
  tier: 'comments',
  feature: 'comments',
  replies: { 200: data(z.object({ id: z.string(), deleted: z.literal(true) })) },
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  permissions: ['table:get', 'table:write'],
});
