import * as z from 'zod';
import { data, deleted, line, text } from './fields.ts';
import { adminOnly, defineRoute, forStaff } from './route.ts';

/** The most saved replies: one response lists them all. */
export const SAVED_REPLIES_MAX = 500;

/** A text that moderators reuse, such as a reason for rejections. */
export const SavedReply = z
  .object({
    id: z.string().describe('`rpl_` and a ULID.'),
    name: z.string(),
    text: z.string().describe('Placeholders such as `{{name}}` are stored as written; clients fill them in.'),
  })
  .meta({ id: 'SavedReply' });
export type SavedReply = z.infer<typeof SavedReply>;

export const SavedReplyBody = z.object({ name: line(1, 100), text: text(1, 1000) }).meta({ id: 'SavedReplyBody' });
export type SavedReplyBody = z.infer<typeof SavedReplyBody>;

export const SavedReplyUpdate = SavedReplyBody.partial().meta({ id: 'SavedReplyUpdate' });
export type SavedReplyUpdate = z.infer<typeof SavedReplyUpdate>;

export const list = defineRoute('savedReplies.list', {
  ...forStaff('moderation'),
  method: 'GET',
  path: '/api/admin/replies',
  summary: 'List the saved replies',
  description: 'All of them, by name.',
  responses: { 200: data(z.array(SavedReply)) },
  permissions: ['table:query'],
});

export const create = defineRoute('savedReplies.create', {
  ...adminOnly,
  method: 'POST',
  path: '/api/admin/replies',
  summary: 'Create a saved reply',
  description: `For reasons of rejections and other texts that are written often. There are at most ${SAVED_REPLIES_MAX}.`,
  body: SavedReplyBody,
  idempotent: true,
  responses: { 201: data(SavedReply) },
  failures: ['LIMIT_REACHED'],
  permissions: ['table:get', 'table:query'],
  writes: ['saved-replies'],
});

export const update = defineRoute('savedReplies.update', {
  ...adminOnly,
  method: 'PUT',
  path: '/api/admin/replies/{reply}',
  summary: 'Update a saved reply',
  description: 'Partial.',
  body: SavedReplyUpdate,
  responses: { 200: data(SavedReply) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get'],
  writes: ['saved-replies'],
});

export const remove = defineRoute('savedReplies.remove', {
  ...adminOnly,
  method: 'DELETE',
  path: '/api/admin/replies/{reply}',
  summary: 'Delete a saved reply',
  description: 'Texts that were sent with it stay.',
  responses: { 200: deleted },
  failures: ['NOT_FOUND'],
  permissions: [],
  writes: ['saved-replies'],
});
