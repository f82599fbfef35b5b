import * as z from 'zod';
import { cursorPage, cursorParameters, logFilters, Timestamp } from './fields.ts';
import { adminOnly, defineRoute } from './route.ts';

export const AuditEntry = z
  .object({
    id: z.string().describe('`aud_` and a ULID.'),
    at: Timestamp.describe('The time of the change.'),
    actor_id: z
      .string()
      .nullable()
      .describe('The user or API key that made the change; `erased` once the user is erased, null for a rule.'),
    actor_name: z.string().nullable().describe('The name of the API key that made the change; null for users.'),
    action: z.string().describe('The id of the route, such as `projects.approve`; `rules.apply` for a rule.'),
    subjects: z.array(z.string()).describe('The changed records, such as `project:prj_…`.'),
    request_id: z.string().nullable().describe('The `x-request-id` of the request; null for a rule.'),
    address: z.string().nullable().describe('The client address; of administrators and API keys only.'),
    input: z
      .unknown()
      .describe(
        'The request body; long values are truncated. Null once the user who made the change, or whose record it changed, is erased.',
      ),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const list = defineRoute('audit.list', {
  ...adminOnly,
  method: 'GET',
  path: '/api/admin/audit',
  summary: 'Read the audit log',
  description:
    'Writes by administrators, edits of projects by their owners and applied rules, newest first, for two years. Each entry is written in the transaction of its change. With a filter, a page may be short, or empty, while `hasMore` is true.',
  query: z.object({
    ...logFilters('`project:prj_…`, `revision:rev_…`, `key:key_…` or `user:…`'),
    ...cursorParameters('aud'),
  }),
  responses: { 200: cursorPage(AuditEntry) },
  permissions: ['table:query', 'table:collection'],
});
