import * as z from 'zod';
import { data } from './envelope.ts';
import { line, REFERENCE_MAX } from './fields.ts';
import { defineRoute } from './route.ts';

/** What visitors do that is worth counting. */
export const TrackedType = z.enum(['pageview', 'project_view', 'outbound_click', 'submission_started', 'custom']);
export type TrackedType = z.infer<typeof TrackedType>;

/** How many events one request brings at most. */
export const EVENTS_MAX = 50;

/** The longest address that is read, in characters. */
const ADDRESS_MAX = 2048;
const DURATION_MAX_MS = 86_400_000;

const members = {
  type: TrackedType.describe(
    "What happened. The page of a project is told as both a `pageview` and a `project_view`; a `project_view` needs the project's id.",
  ),
  path: line(1, ADDRESS_MAX).describe('Where it happened. Checked, and not kept: a path can tell who somebody is.'),
  project_id: line(1, REFERENCE_MAX).optional().describe('The project that it is about: its id or slug.'),
  referrer: line(0, ADDRESS_MAX)
    .optional()
    .describe('Where the visitor came from; only its host is kept, and nothing of what is no web address.'),
  name: line(1, 100).optional().describe('What a `custom` event is called. Not kept.'),
  duration_ms: z.int().min(0).max(DURATION_MAX_MS).optional().describe('How long it took. Not kept.'),
};

const nameTheProject = (
  context: z.core.ParsePayload<{ type?: string | undefined; project_id?: string | undefined }>,
): void => {
  const { type, project_id } = context.value;
  if (type !== 'project_view' || project_id !== undefined) return;
  context.issues.push({ code: 'custom', message: 'is required', path: ['project_id'], input: project_id });
};

/** Something that a visitor did. */
export const TrackedEvent = z.object(members).check(nameTheProject).meta({ id: 'TrackedEvent' });
export type TrackedEvent = z.infer<typeof TrackedEvent>;

/** One event, or several at once. */
export const TrackedEvents = z
  .object({
    ...members,
    type: members.type.optional(),
    path: members.path.optional(),
    events: z
      .array(TrackedEvent)
      .min(1, { error: 'must have at least one event' })
      .max(EVENTS_MAX, { error: `must have at most ${EVENTS_MAX} events` })
      .optional()
      .describe('Several events at once; where it is given, nothing beside it counts.'),
  })
  .check((context) => {
    if (context.value.events) return;
    for (const field of ['type', 'path'] as const) {
      if (context.value[field] !== undefined) continue;
      context.issues.push({ code: 'custom', message: 'is required', path: [field], input: undefined });
    }
    nameTheProject(context);
  })
  .transform(({ events, ...event }) => events ?? [event as TrackedEvent])
  .meta({ id: 'TrackedEvents' });

export const Range = z.enum(['7d', '30d', '90d', 'all'], { error: 'must be 7d, 30d, 90d or all' });
export type Range = z.infer<typeof Range>;
export const GroupBy = z.enum(['day', 'week', 'month'], { error: 'must be day, week or month' });
export type GroupBy = z.infer<typeof GroupBy>;

const Count = z.int().min(0);
const counted = (what: string) =>
  z.array(z.object({ name: z.string(), count: Count })).describe(`${what} Most frequent first; the rest is \`Other\`.`);

/** What was counted in a range of days (UTC). */
export const AnalyticsReport = z
  .object({
    range: Range,
    groupBy: GroupBy,
    totals: z.object({
      pageviews: Count.describe('In the report of one project: its `project_views`.'),
      visitors: Count.describe('Different visitors of each day, added up: nobody is known again on another day.'),
      project_views: Count.describe('Views of live projects.'),
      outbound_clicks: Count,
    }),
    traffic: z
      .array(
        z.object({
          date: z.iso.date().describe('The day, the Monday of the week, or the first of the month.'),
          pageviews: Count,
          visitors: Count,
        }),
      )
      .describe('Oldest first, without a gap. The first and last week or month have only their days within the range.'),
    top_projects: z.array(z.object({ id: z.string(), name: z.string(), slug: z.string(), views: z.int().min(1) })),
    countries: counted('Page and project views by country: two letters, or `Unknown`.'),
    browsers: counted('Page and project views by browser.'),
    devices: counted('Page and project views by kind of device: `desktop`, `mobile`, `tablet`, `tv` or `Unknown`.'),
    referrers: counted('Page and project views by the host that led to them; those without one are left out.'),
    funnel: z.object({
      visitors: Count,
      submission_started: Count,
      submitted: Count.describe('Submissions that came in, also repeated ones.'),
      paid: Count.describe('Payments for the premium plan.'),
      approved: Count,
      conversion: z.number().min(0).describe('`approved` by `visitors`, rounded to four decimals; 0 without visitors.'),
    }),
  })
  .meta({ id: 'AnalyticsReport' });
export type AnalyticsReport = z.infer<typeof AnalyticsReport>;

const ReportQuery = z.object({
  range: Range.default('30d').describe(
    'How many days, today (UTC) included; `all` begins with the first day that has anything, three years ago at the earliest.',
  ),
  groupBy: GroupBy.default('day').describe('What a line of `traffic` stands for. Weeks begin on Monday.'),
});

export const track = defineRoute('analytics.track', {
  method: 'POST',
  path: '/api/analytics/track',
  summary: 'Count what a visitor does',
  description:
    'One event or up to 50. No cookie is needed and nothing that tells who the visitor is is stored; with `Sec-GPC: 1` or `DNT: 1` views are counted and the visitor is not. Known bots are not counted: `accepted` is 0. Only this raises `views_count` of a project.',
  auth: 'public',
  tier: 'analytics',
  feature: 'analytics',
  visitor: true,
  body: TrackedEvents,
  replies: { 202: data(z.object({ accepted: Count.max(EVENTS_MAX).describe('How many events were taken.') })) },
  needs: ['table:get', 'table:write'],
});

export const report = defineRoute('analytics.report', {
  method: 'GET',
  path: '/api/admin/analytics',
  summary: 'Read the analytics of the site',
  description: 'Up to two minutes old.',
  auth: 'admin',
  tier: 'admin',
  feature: 'analytics',
  query: ReportQuery,
  replies: { 200: data(AnalyticsReport) },
  needs: ['table:get', 'table:query'],
});

export const projectReport = defineRoute('analytics.projectReport', {
  method: 'GET',
  path: '/api/analytics/projects/{project}',
  summary: 'Read the analytics of a project',
  description: 'For its owner and administrators. Up to two minutes old.',
  auth: 'user',
  tier: 'general',
  feature: 'analytics',
  query: ReportQuery,
  replies: { 200: data(AnalyticsReport) },
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  needs: ['table:get', 'table:query'],
});
