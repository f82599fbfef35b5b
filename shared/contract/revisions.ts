import * as z from 'zod';
import { ledger, ledgerPaging, Timestamp } from './fields.ts';
import { FieldChange, RevisionField } from './projects.ts';
import { defineRoute } from './route.ts';

/** Why a project was changed. */
export const RevisionCause = z.enum([
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
]);
export type RevisionCause = z.infer<typeof RevisionCause>;

/** What became of a change. */
export const RevisionState = z.enum(['applied', 'pending', 'approved', 'rejected', 'withdrawn', 'dropped']);
export type RevisionState = z.infer<typeof RevisionState>;

/** A recorded change of a project. */
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
    changes: z.array(FieldChange),
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
    'For the owner, administrators and moderators. Every change of the content, plan, owner, status or deletion, newest first: the newest 100, and one that waits.',
  auth: 'user',
  scopes: ['projects:read', 'moderation'],
  tier: 'general',
  query: z.object(ledgerPaging('rev')),
  replies: { 200: ledger(Revision) },
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  permissions: ['table:get', 'table:query'],
});
