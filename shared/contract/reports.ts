import * as z from 'zod';
import { data, page } from './envelope.ts';
import { paging, Timestamp, text } from './fields.ts';
import { defineRoute } from './route.ts';

/** Where a report stands. */
export const ReportStatus = z.enum(['open', 'resolved', 'dismissed']);
export type ReportStatus = z.infer<typeof ReportStatus>;

/** What somebody finds wrong with a project. */
export const Report = z
  .object({
    id: z.string().describe('`rep_` and a ULID.'),
    project_id: z.string(),
    user_id: z.string().describe('Who reported it.'),
    reason: z.string(),
    details: z.string().nullable(),
    status: ReportStatus,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Report' });
export type Report = z.infer<typeof Report>;

const ReportBody = z
  .object({
    reason: text(1, 1000).describe('What is wrong, such as `spam` or `broken link`.'),
    details: text(0, 2000).nullable().optional().describe('Anything that helps to see it.'),
  })
  .meta({ id: 'ReportBody' });
export type ReportBody = z.infer<typeof ReportBody>;

export const file = defineRoute('reports.file', {
  method: 'POST',
  path: '/api/projects/{project}/report',
  summary: 'Report a project',
  description: 'One report per user and project: reporting again replaces the words and opens it anew.',
  auth: 'user',
  tier: 'general',
  body: ReportBody,
  replies: { 201: data(Report), 200: data(Report) },
  failures: ['NOT_FOUND'],
  needs: ['table:get', 'table:write'],
});

export const list = defineRoute('reports.list', {
  method: 'GET',
  path: '/api/admin/reports',
  summary: 'List reports of projects',
  description: 'Newest first.',
  auth: 'admin',
  tier: 'admin',
  query: z.object({
    status: z.enum([...ReportStatus.options, 'all']).default('open'),
    ...paging(40),
  }),
  replies: { 200: page(Report) },
  needs: ['table:get', 'table:collection'],
});

export const settle = defineRoute('reports.settle', {
  method: 'PUT',
  path: '/api/admin/reports/{report}',
  summary: 'Settle a report',
  auth: 'admin',
  tier: 'admin',
  body: z.object({ status: ReportStatus }).meta({ id: 'ReportVerdict' }),
  replies: { 200: data(Report) },
  failures: ['NOT_FOUND'],
  needs: ['table:get', 'table:write'],
});
