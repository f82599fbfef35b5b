import * as z from 'zod';
import { data, page, paging } from './fields.ts';
import { Project } from './projects.ts';
import { defineRoute } from './route.ts';

/** The most bookmarks of a user. */
export const BOOKMARKS_MAX = 2000;

const Bookmarked = z
  .object({ bookmarked: z.boolean().describe('Whether the caller has bookmarked the project.') })
  .meta({ id: 'Bookmarked' });
export type Bookmarked = z.infer<typeof Bookmarked>;

const bookmark = {
  path: '/api/projects/{project}/bookmark',
  auth: 'user',
  tier: 'voting',
  feature: 'bookmarks',
  responses: { 200: data(Bookmarked) },
  writes: ['bookmarks'],
} as const;

export const add = defineRoute('bookmarks.add', {
  ...bookmark,
  method: 'PUT',
  summary: 'Bookmark a project',
  description: `Idempotent. Only the caller sees it. At most ${BOOKMARKS_MAX} per user.`,
  failures: ['NOT_FOUND', 'LIMIT_REACHED'],
  permissions: ['table:get', 'table:query'],
});

export const remove = defineRoute('bookmarks.remove', {
  ...bookmark,
  method: 'DELETE',
  summary: 'Remove a bookmark',
  description: 'Idempotent. Also for a project that is no longer live.',
  failures: ['NOT_FOUND'],
  permissions: ['table:get'],
});

export const list = defineRoute('bookmarks.list', {
  method: 'GET',
  path: '/api/me/bookmarks',
  summary: "List the caller's bookmarks",
  description: 'The live projects among them, the last bookmarked first.',
  auth: 'user',
  tier: 'general',
  feature: 'bookmarks',
  query: z.object(paging(40)),
  responses: { 200: page(Project) },
  permissions: ['table:query', 'catalog'],
});
