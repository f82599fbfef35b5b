import * as z from 'zod';
import { data, line, text } from './fields.ts';
import { defineRoute } from './route.ts';

/** A text that moderators reuse, such as a reason for rejections. */
export const SavedReply = z
  .object({
    id: z.string().describe('`rpl_` and a ULID.'),
    name: z.string(),
    text: z.string().describe('Placeholders such as `{{name}}` are stored as written; clients fill them in.'),
  })
  .meta({ id: 'SavedReply' });
export type SavedReply = z.infer<typeof SavedReply>;

const fields = { name: line(1, 100), text: text(1, 1000) } as const;

export const SavedReplyBody = z.object(fields).meta({ id: 'SavedReplyBody' });
export type SavedReplyBody = z.infer<typeof SavedReplyBody>;

export const SavedReplyUpdate = z
  .object({ name: fields.name.optional(), text: fields.text.optional() })
  .meta({ id: 'SavedReplyUpdate' });
export type SavedReplyUpdate = z.infer<typeof SavedReplyUpdate>;

const common = { auth: 'admin', tier: 'admin' } as const;

export const list = defineRoute('replies.list', {
  ...common,
  scopes: ['moderation'],
  moderators: true,
  method: 'GET',
  path: '/api/admin/replies',
  summary: 'List the saved replies',
  description: 'All of them, by name.',
  replies: { 200: data(z.array(SavedReply)) },
  permissions: ['table:query'],
});

export const create = defineRoute('replies.create', {
  ...common,
  scopes: [],
  moderators: false,
  method: 'POST',
  path: '/api/admin/replies',
  summary: 'Create a saved reply',
  description: 'For reasons of rejections and other texts that are written often.',
  body: SavedReplyBody,
  replies: { 201: data(SavedReply) },
  permissions: ['table:write'],
});

export const update = defineRoute('replies.update', {
  ...common,
  scopes: [],
  moderators: false,
  method: 'PUT',
  path: '/api/admin/replies/{reply}',
  summary: 'Update a saved reply',
  description: 'Partial.',
  body: SavedReplyUpdate,
  replies: { 200: data(SavedReply) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:write'],
});

export const remove = defineRoute('replies.remove', {
  ...common,
  scopes: [],
  moderators: false,
  method: 'DELETE',
  path: '/api/admin/replies/{reply}',
  summary: 'Delete a saved reply',
  description: 'Texts that were sent with it stay.',
  replies: { 200: data(z.object({ id: z.string(), deleted: z.literal(true) })) },
  failures: ['NOT_FOUND'],
  permissions: ['table:write'],
});
