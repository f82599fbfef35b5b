import * as z from 'zod';
import { data, optionalText, ProjectReference, page, paging, reference, Timestamp, text } from './fields.ts';
import { defineRoute, forStaff } from './route.ts';

export const ReportStatus = z.enum(['open', 'resolved', 'dismissed']);
export type ReportStatus = z.infer<typeof ReportStatus>;

export const Report = z
  .object({
    id: z.string().describe('`rep_` and a ULID.'),
    project_id: z.string(),
    user_id: z.string().nullable().describe('The reporting user; null once erased.'),
    reason: z.string().describe('Empty once the reporting user is erased.'),
    details: z.string().nullable(),
    status: ReportStatus,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Report' });
export type Report = z.infer<typeof Report>;

export const AdminReport = Report.extend({
  note: z.string().nullable().describe('A remark of the administrator who resolved it.'),
}).meta({ id: 'AdminReport' });
export type AdminReport = z.infer<typeof AdminReport>;

/** How many reports of a project a group contains. */
export const REPORTS_OF_GROUP_MAX = 10;

export const ReportGroup = z
  .object({
    project: ProjectReference,
    count: z.int().min(1).describe('The number of its reports of the requested status.'),
    reports: z
      .array(AdminReport)
      .describe(`The newest ${REPORTS_OF_GROUP_MAX} of them; fewer where a list would be too large.`),
  })
  .meta({ id: 'ReportGroup' });
export type ReportGroup = z.infer<typeof ReportGroup>;

const ReportBody = z
  .object({
    reason: text(1, 1000).describe('The problem, such as `spam` or `broken link`.'),
    details: optionalText(2000).optional().describe('Further details.'),
  })
  .meta({ id: 'ReportBody' });
export type ReportBody = z.infer<typeof ReportBody>;

export const file = defineRoute('reports.file', {
  method: 'POST',
  path: '/api/projects/{project}/report',
  summary: 'Report a project',
  description: 'One report per user and project: a second report replaces the first and reopens it.',
  auth: 'user',
  tier: 'general',
  body: ReportBody,
  idempotent: true,
  responses: { 201: data(Report), 200: data(Report) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get'],
  writes: ['projects', 'reports'],
});

export const list = defineRoute('reports.list', {
  method: 'GET',
  path: '/api/admin/reports',
  summary: 'List reports of projects',
  description: 'Newest first. Grouped by project, the project with the newest report comes first.',
  ...forStaff('moderation'),
  query: z.object({
    status: z
      .enum([...ReportStatus.options, 'all'])
      .default('open')
      .describe('Only reports of this status.'),
    group: z.enum(['project']).optional().describe('Lists projects with their reports in place of reports.'),
    ...paging(40),
  }),
  responses: { 200: z.union([page(AdminReport), page(ReportGroup)]) },
  permissions: ['table:get', 'table:collection'],
});

export const resolve = defineRoute('reports.resolve', {
  method: 'PUT',
  path: '/api/admin/reports/{report}',
  summary: 'Resolve a report',
  description: 'Marks it as resolved or dismissed; the project itself is not changed.',
  ...forStaff('moderation'),
  body: z.object({ status: ReportStatus }).meta({ id: 'ReportVerdict' }),
  responses: { 200: data(AdminReport) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get'],
  writes: ['projects'],
});

const RESOLVED_MAX = 100;
/** More than any id of a report has. */
const REPORT_ID_MAX = 100;

const ReportResolution = z
  .object({
    ids: z
      .array(reference(REPORT_ID_MAX))
      .min(1, { error: 'must name at least one report' })
      .max(RESOLVED_MAX, { error: `must name at most ${RESOLVED_MAX} reports` })
      .overwrite((ids) => [...new Set(ids)]),
    status: ReportStatus,
    note: optionalText(1000).optional().describe('Stored with the reports; also the reason of a rejection.'),
    action: z
      .enum(['reject', 'delete', 'none'])
      .default('none')
      .describe('What happens to the reported projects. `delete` deletes softly.'),
  })
  .meta({ id: 'ReportResolution' });
export type ReportResolution = z.output<typeof ReportResolution>;

const ResolvedReport = z
  .object({
    id: z.string(),
    ok: z.boolean(),
    error: z.string().optional().describe('The `error` text of the failure.'),
    code: z.string().optional().describe('The `code` of the failure.'),
    message: z.string().optional().describe('The `message` of the failure, if any.'),
  })
  .meta({ id: 'ResolvedReport' });
export type ResolvedReport = z.infer<typeof ResolvedReport>;

export const resolveMany = defineRoute('reports.resolveMany', {
  method: 'POST',
  path: '/api/admin/reports/settle',
  summary: 'Resolve many reports',
  description:
    'Applies the action to each reported project once, then sets the status of each report whose project was changed. A project that is rejected or deleted already stays as it is. The response has a result per id, in the order of the request.',
  ...forStaff('moderation'),
  body: ReportResolution,
  responses: {
    200: data(z.object({ results: z.array(ResolvedReport), succeeded: z.int().min(0), failed: z.int().min(0) })),
  },
  permissions: ['table:get', 'table:query'],
  writes: ['projects', 'slugs', 'events'],
  timeoutSeconds: 29,
});
