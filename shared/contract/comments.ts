import * as z from 'zod';
import {
  cursorPage,
  cursorParameters,
  data,
  deleted,
  ProjectReference,
  page,
  paging,
  Reference,
  reference,
  Timestamp,
  text,
} from './fields.ts';
import { defineRoute, forStaff } from './route.ts';

/** The longest id of a user, in characters (OpenID Connect Core 1.0, section 2). */
const USER_ID_MAX = 255;

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

export const AdminComment = Comment.extend({
  project: ProjectReference.nullable().describe('The project; null once it is purged.'),
  is_hidden: z.boolean().describe('Whether only this list shows the comment.'),
}).meta({ id: 'AdminComment' });
export type AdminComment = z.infer<typeof AdminComment>;

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
  responses: { 200: page(Comment) },
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
  idempotent: true,
  responses: { 201: data(Comment) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get'],
  writes: ['projects', 'events'],
});

export const update = defineRoute('comments.update', {
  method: 'PUT',
  path: '/api/projects/{project}/comments/{comment}',
  summary: 'Update a comment',
  description: 'By its author, within 24 hours.',
  auth: 'user',
  tier: 'general',
  feature: 'comments',
  body: CommentBody,
  responses: { 200: data(Comment) },
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  permissions: ['table:get'],
  writes: ['projects'],
});

export const remove = defineRoute('comments.remove', {
  method: 'DELETE',
  path: '/api/projects/{project}/comments/{comment}',
  summary: 'Delete a comment',
  description: 'By its author or an administrator.',
  auth: 'user',
  tier: 'general',
  feature: 'comments',
  responses: { 200: deleted },
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  permissions: ['table:get'],
  writes: ['projects'],
});

const common = {
  ...forStaff('moderation'),
  feature: 'comments',
} as const;

export const browse = defineRoute('comments.browse', {
  ...common,
  method: 'GET',
  path: '/api/admin/comments',
  summary: 'List comments on all projects',
  description: 'Newest first, hidden comments too. With both filters a page may be short while more follow.',
  query: z.object({
    project: Reference.optional().describe('Only comments on this project: its id or slug.'),
    user: reference(USER_ID_MAX).optional().describe('Only comments by this user.'),
    ...cursorParameters('cmt'),
  }),
  responses: { 200: cursorPage(AdminComment) },
  permissions: ['table:get', 'table:query', 'table:collection', 'table:feed'],
});

export const hide = defineRoute('comments.hide', {
  ...common,
  method: 'PUT',
  path: '/api/admin/comments/{comment}',
  summary: 'Hide a comment, or show it again',
  description:
    'A hidden comment is not counted, and only the list for administrators shows it. Its author may still delete it.',
  body: z.object({ is_hidden: z.boolean() }).meta({ id: 'CommentVisibility' }),
  responses: { 200: data(AdminComment) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:feed'],
  writes: ['projects'],
});
