import * as z from 'zod';
import { data, deleted, page, paging, Timestamp } from './fields.ts';
import { Submission } from './projects.ts';
import { defineRoute } from './route.ts';

/** The size of a draft, in bytes of its JSON. */
const CONTENT_BYTES_MAX = 65_536;

const { draft_id: _draftId, ...submitted } = Submission.shape;

const described = (schema: z.ZodType) =>
  z
    .unknown()
    .optional()
    .describe(schema.meta()?.description ?? '');

const Content = z
  .object(Object.fromEntries(Object.entries(submitted).map(([name, schema]) => [name, described(schema)])))
  .describe('Any part of a submission, stored as it is sent. Other members are dropped.');

const DraftBody = z
  .object({
    content: Content.refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= CONTENT_BYTES_MAX, {
      error: `must have at most ${CONTENT_BYTES_MAX} bytes as JSON`,
    }),
  })
  .meta({ id: 'DraftBody' });
export type DraftContent = z.infer<typeof Content>;

export const Draft = z
  .object({
    id: z.string().describe('`dft_` and a ULID.'),
    content: Content,
    problems: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'The `details` with which a submission of the content would be rejected now; null if it would be accepted.',
      ),
    created_at: Timestamp,
    updated_at: Timestamp,
    expires_at: Timestamp.describe('90 days after the last change.'),
  })
  .meta({ id: 'Draft' });
export type Draft = z.infer<typeof Draft>;

const own = { feature: 'drafts', auth: 'user', tier: 'general' } as const;

/** What the check of a submission reads. */
const checking = ['table:get', 'table:query', 'table:collection'] as const;

export const list = defineRoute('drafts.list', {
  ...own,
  method: 'GET',
  path: '/api/me/drafts',
  summary: "List the caller's drafts",
  description: 'The last changed first. Drafts are visible to their user only.',
  query: z.object(paging(40)),
  responses: { 200: page(Draft) },
  permissions: checking,
});

export const create = defineRoute('drafts.create', {
  ...own,
  method: 'POST',
  path: '/api/me/drafts',
  summary: 'Save a draft of a submission',
  description:
    'At most 20 per user. Invalid content is stored too; `problems` says what a submission would be rejected for.',
  body: DraftBody,
  idempotent: true,
  responses: { 201: data(Draft) },
  failures: ['LIMIT_REACHED'],
  permissions: checking,
  writes: ['drafts'],
});

export const read = defineRoute('drafts.read', {
  ...own,
  method: 'GET',
  path: '/api/me/drafts/{draft}',
  summary: 'Read a draft',
  description: 'By its user; 404 for all others.',
  responses: { 200: data(Draft) },
  failures: ['NOT_FOUND'],
  permissions: checking,
});

export const update = defineRoute('drafts.update', {
  ...own,
  method: 'PUT',
  path: '/api/me/drafts/{draft}',
  summary: 'Replace the content of a draft',
  description: 'With `If-Match` the draft that was read is replaced, or none.',
  body: DraftBody,
  ifMatch: true,
  responses: { 200: data(Draft) },
  failures: ['NOT_FOUND'],
  permissions: checking,
  writes: ['drafts'],
});

export const remove = defineRoute('drafts.remove', {
  ...own,
  method: 'DELETE',
  path: '/api/me/drafts/{draft}',
  summary: 'Delete a draft',
  description: 'A submission with its id as `draft_id` deletes it too.',
  responses: { 200: deleted },
  failures: ['NOT_FOUND'],
  permissions: ['table:get'],
  writes: ['drafts'],
});
