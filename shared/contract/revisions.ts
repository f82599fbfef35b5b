import * as z from 'zod';
import {
  cursorPage,
  cursorParameters,
  data,
  optionalText,
  ProjectReference,
  page,
  paging,
  Reference,
  Timestamp,
  text,
} from './fields.ts';
import { ItemChange, Project, RevisionField } from './projects.ts';
import { defineRoute, forStaff } from './route.ts';

/** Why a project was changed. */
export const RevisionCause = z
  .enum([
    'submitted',
    'edited',
    'moderated',
    'bulk',
    'imported',
    'restored',
    'reverted',
    'payment',
    'category',
    'rule',
    'claimed',
  ])
  .meta({ id: 'RevisionCause' });
export type RevisionCause = z.infer<typeof RevisionCause>;

export const RevisionState = z
  .enum(['applied', 'pending', 'approved', 'rejected', 'withdrawn', 'dropped'])
  .meta({ id: 'RevisionState' });
export type RevisionState = z.infer<typeof RevisionState>;

export const Revision = z
  .object({
    id: z.string().describe('`rev_` and a ULID.'),
    project_id: z.string(),
    at: Timestamp.describe('The time of the change; of the first edit, when several wait together.'),
    actor: z
      .object({ id: z.string(), name: z.string().nullable() })
      .nullable()
      .describe('Null for the service, for erased users and, towards owners, for administrators.'),
    cause: RevisionCause,
    state: RevisionState,
    base_version: z.int().min(0).describe('The version of the project before the change; 0 before its creation.'),
    etag: z.string().describe('For `If-Match`; changes when another edit is merged into a waiting revision.'),
    changes: z.array(ItemChange),
    applied: z.array(RevisionField).describe('The fields that were published.'),
    note: z.string().nullable().optional().describe('A remark of an administrator; administrators only.'),
  })
  .meta({ id: 'Revision' });
export type Revision = z.infer<typeof Revision>;

export const list = defineRoute('revisions.list', {
  method: 'GET',
  path: '/api/projects/{project}/revisions',
  summary: 'Read the revisions of a project',
  description:
    'For the owner, administrators and moderators. Every change of the content, plan, owner, status or deletion, newest first: the newest 100, and one that waits. A page may be shorter than `limit` when its changes are large.',
  auth: 'user',
  scopes: ['projects:read', 'moderation'],
  tier: 'general',
  query: z.object(cursorParameters('rev')),
  responses: { 200: cursorPage(Revision) },
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  permissions: ['table:get', 'table:query'],
});

export const withdraw = defineRoute('revisions.withdraw', {
  method: 'DELETE',
  path: '/api/projects/{project}/revisions/{revision}',
  summary: 'Withdraw a waiting edit',
  description: 'By the owner. What is published stays as it is.',
  auth: 'user',
  audited: true,
  tier: 'general',
  responses: { 200: data(z.object({ id: z.string(), state: z.literal('withdrawn') })) },
  failures: ['NOT_FOUND', 'FORBIDDEN', 'INVALID_TRANSITION'],
  permissions: ['table:get'],
  writes: ['projects'],
});

const QueuedRevision = Revision.extend({
  project: ProjectReference,
  outdated: z
    .array(RevisionField)
    .describe('The waiting fields whose published value is neither the original nor the proposed one.'),
}).meta({ id: 'QueuedRevision' });
export type QueuedRevision = z.infer<typeof QueuedRevision>;

export const browse = defineRoute('revisions.browse', {
  method: 'GET',
  path: '/api/admin/revisions',
  summary: 'List the edits that wait for approval',
  description: 'Oldest first. `applied` revisions, which never waited, are listed for one project only.',
  ...forStaff('projects:read', 'moderation'),
  query: z.object({
    state: RevisionState.default('pending').describe('Only revisions in this state.'),
    project: z
      .string({ error: 'must be given once' })
      .overwrite((value) => value.trim())
      .pipe(z.union([z.literal('').transform(() => undefined), Reference]))
      .optional()
      .describe('Only revisions of the project with this id or slug.'),
    ...paging(40),
  }),
  responses: { 200: page(QueuedRevision) },
  permissions: ['table:get', 'table:query', 'table:feed'],
});

const fields = z
  .array(RevisionField)
  .min(1, { error: 'must name at least one field' })
  .transform((all) => [...new Set(all)])
  .optional();
const note = optionalText(1000).optional().describe('For administrators; the owner does not see it.');

const Approval = z
  .object({
    fields: fields.describe('The fields to publish, by default all of the revision; the others are dropped.'),
    note,
    force: z.boolean().default(false).describe('Publish fields that were changed since, too.'),
  })
  .meta({ id: 'RevisionApproval' });
export type Approval = z.output<typeof Approval>;

const decision = {
  ...forStaff('moderation'),
  method: 'POST',
  ifMatch: true,
  responses: { 200: data(Project) },
  permissions: ['table:get', 'table:query', 'table:collection'],
} as const;

export const approve = defineRoute('revisions.approve', {
  ...decision,
  path: '/api/admin/projects/{project}/revisions/{revision}/approve',
  summary: 'Approve a waiting edit',
  description:
    'Publishes all its fields or the named ones and mails the owner; `projectUpdated` and `revisionApproved` fire. `If-Match` takes the `etag` of the revision.',
  body: Approval.optional(),
  failures: ['NOT_FOUND', 'INVALID_TRANSITION', 'CONFLICTING_EDIT', 'SLUG_TAKEN', 'DUPLICATE_URL'],
  writes: ['projects', 'slugs', 'events'],
});

export const reject = defineRoute('revisions.reject', {
  ...decision,
  path: '/api/admin/projects/{project}/revisions/{revision}/reject',
  summary: 'Reject a waiting edit',
  description:
    'What is published stays as it is. The owner is mailed with the reason, and `revisionRejected` fires. `If-Match` takes the `etag` of the revision.',
  body: z.object({ reason: text(1, 1000).describe('For the owner.'), note }).meta({ id: 'RevisionRejection' }),
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  writes: ['projects', 'events'],
});

export const restore = defineRoute('revisions.restore', {
  ...decision,
  path: '/api/admin/projects/{project}/revisions/{revision}/restore',
  summary: 'Undo a change',
  description:
    'Sets the published fields of the revision back to the values before it. `status`, `plan`, `owner_id` and `deleted_at` are set back only when they are named. `projectUpdated` fires, and no mail is sent. Moderators and API keys set back the content, and a `status` only of their own latest decision. `If-Match` takes the ETag of the project.',
  body: z
    .object({ fields: fields.describe('Fields that the revision published; by default all but the four above.') })
    .optional()
    .meta({ id: 'RevisionRestoration' }),
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  writes: ['projects', 'slugs', 'events'],
});
