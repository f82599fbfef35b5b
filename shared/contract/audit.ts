import * as z from 'zod';
import { Timestamp, wholeNumber } from './fields.ts';
import { defineRoute } from './route.ts';

/** Who did what to what, when, from where. */
export const AuditEntry = z
  .object({
    id: z.string().describe('`aud_` and a ULID.'),
    at: Timestamp.describe('When it was done.'),
    actor_id: z.string().describe('Who did it.'),
    action: z.string().describe('The id of the route, such as `projects.approve`.'),
    subjects: z.array(z.string()).describe('What was changed, such as `project:prj_…`.'),
    request_id: z.string().describe('The `x-request-id` of the request.'),
    address: z.string().nullable().describe('Where the request came from; of administrators only.'),
    input: z.unknown().describe('What was asked for; long ones are shortened.'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const list = defineRoute('audit.list', {
  method: 'GET',
  path: '/api/admin/audit',
  summary: 'Read the audit log',
  description:
    'Every write of an administrator and every edit of a project by its owner, newest first, through two years. Written in the transaction of the change: what is not here did not happen.',
  auth: 'admin',
  tier: 'admin',
  query: z.object({
    subject: z
      .string({ error: 'must be given once' })
      .trim()
      .min(1)
      .max(300)
      .optional()
      .describe('Only what was done to this, such as `project:prj_…`, `category:cat_…`, `user:…`.'),
    after: z
      .string({ error: 'must be given once' })
      .trim()
      .regex(/^aud_[0-7][0-9A-HJKMNP-TV-Z]{25}$/, { error: 'must be the id of an entry' })
      .optional()
      .describe('Continues behind the entry with this id.'),
    limit: wholeNumber(1, 100).default(40).describe('Entries per page.'),
  }),
  replies: {
    200: z.object({
      data: z.array(AuditEntry),
      meta: z.object({
        nextAfter: z.string().nullable().describe('What to send as `after` for the next page; null on the last one.'),
        hasMore: z.boolean().describe('Whether another page follows.'),
        pageSize: z.int().min(1).max(100).describe('How many entries a full page has.'),
      }),
    }),
  },
  needs: ['table:query', 'table:collection'],
});
