import * as z from 'zod';
import { blankAsAbsent, data, integer, line, PageMeta, paging, REFERENCE_MAX } from './fields.ts';
import { defineRoute, forAdmins } from './route.ts';

export const TrackedType = z.enum([
  'pageview',
  'project_view',
  'outbound_click',
  'submission_started',
  'search',
  'search_click',
  'custom',
]);
export type TrackedType = z.infer<typeof TrackedType>;

const EVENTS_MAX = 50;

/** The longest path or referrer, in characters. */
const ADDRESS_MAX = 2048;
const DURATION_MAX_MS = 86_400_000;
/** The longest query of a tracked search, in characters, as of `q` in lists. */
const QUERY_MAX = 200;
const RESULTS_MAX = 1_000_000_000;

const members = {
  type: TrackedType.describe(
    'The kind of event. A project page sends both a `pageview` and a `project_view`; a `project_view` requires `project_id`, a `search` `q` and `results`, a `search_click` `q`, `project_id` and `position`.',
  ),
  path: line(1, ADDRESS_MAX).describe(
    'The path of the page. Validated but not stored, because a path can identify a person.',
  ),
  project_id: blankAsAbsent(line(1, REFERENCE_MAX)).describe('The id or slug of the project.'),
  referrer: blankAsAbsent(line(1, ADDRESS_MAX)).describe(
    'The referring URL; only its host is stored, and only of http(s) URLs.',
  ),
  name: blankAsAbsent(line(1, 100)).describe('The name of a `custom` event. Not stored.'),
  q: blankAsAbsent(line(1, QUERY_MAX)).describe(
    'What was searched for. Stored in lower case without accents, at most 60 characters; not stored when it looks like a mail address, an address or a number of seven digits or more.',
  ),
  results: integer(0, RESULTS_MAX).optional().describe('How many listings the search found; stored is whether any.'),
  position: integer(1, RESULTS_MAX).optional().describe('The position of the listing in the results, from 1.'),
  duration_ms: integer(0, DURATION_MAX_MS).optional().describe('A duration in milliseconds. Not stored.'),
};

type Optional = Exclude<keyof typeof members, 'type' | 'path'>;

/** What events of a kind require besides `path`. */
const required: Readonly<Partial<Record<TrackedType, readonly Optional[]>>> = {
  project_view: ['project_id'],
  search: ['q', 'results'],
  search_click: ['q', 'project_id', 'position'],
};

const requireMembers = (
  context: z.core.ParsePayload<{ type?: TrackedType | undefined } & { [Name in Optional]?: unknown }>,
): void => {
  const { type } = context.value;
  for (const field of (type && required[type]) ?? []) {
    if (context.value[field] !== undefined) continue;
    context.issues.push({ code: 'custom', message: 'is required', path: [field], input: undefined });
  }
};

/** The same rules for the document: null and a blank text count as absent. */
const requirements = Object.entries(required).map(([type, names]) => ({
  anyOf: [
    { properties: { type: { not: { const: type } } } },
    {
      required: [...names],
      properties: Object.fromEntries(names.map((name) => [name, { type: ['string', 'integer'], not: { const: '' } }])),
    },
  ],
}));

export const TrackedEvent = z.object(members).check(requireMembers).meta({ id: 'TrackedEvent', allOf: requirements });
export type TrackedEvent = z.infer<typeof TrackedEvent>;

/** One event or a batch. */
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
      .describe('A batch of events; other members are ignored when present.'),
  })
  .check((context) => {
    if (context.value.events) return;
    for (const field of ['type', 'path'] as const) {
      if (context.value[field] !== undefined) continue;
      context.issues.push({ code: 'custom', message: 'is required', path: [field], input: undefined });
    }
    requireMembers(context);
  })
  .transform(({ events, ...event }) => events ?? [event as TrackedEvent])
  .meta({
    id: 'TrackedEvents',
    anyOf: [{ required: ['events'] }, { required: ['type', 'path'], allOf: requirements }],
  });

export const Range = z.enum(['7d', '30d', '90d', 'all'], { error: 'must be 7d, 30d, 90d or all' });
export type Range = z.infer<typeof Range>;
export const GroupBy = z.enum(['day', 'week', 'month'], { error: 'must be day, week or month' });
export type GroupBy = z.infer<typeof GroupBy>;

const Count = z.int().min(0);
const counted = (what: string) =>
  z
    .array(z.object({ name: z.string(), count: Count }))
    .describe(`${what} Most frequent first; the remainder is \`Other\`.`);

/** The analytics of a range of days (UTC). */
export const AnalyticsReport = z
  .object({
    range: Range.nullable().describe('Null when the report was asked for by dates.'),
    from: z.iso.date().describe('The first day (UTC).'),
    to: z.iso.date().describe('The last day (UTC).'),
    groupBy: GroupBy,
    totals: z.object({
      pageviews: Count.describe('In the report of one project: its `project_views`.'),
      visitors: Count.describe('The sum of distinct visitors per day; visitors are not recognised across days.'),
      project_views: Count.describe('Views of live projects, once per visitor, project and hour.'),
      outbound_clicks: Count,
    }),
    traffic: z
      .array(
        z.object({
          date: z.iso.date().describe('The day, the Monday of the week, or the first of the month (UTC).'),
          pageviews: Count,
          visitors: Count,
          submissions: Count.describe('Submissions received, including resubmissions.'),
        }),
      )
      .describe('Oldest first, without gaps. The first and last week or month contain only days within the range.'),
    top_projects: z.array(z.object({ id: z.string(), name: z.string(), slug: z.string(), views: z.int().min(1) })),
    countries: counted('Page and project views by country: two letters, or `Unknown`.'),
    browsers: counted('Page and project views by browser.'),
    devices: counted('Page and project views by kind of device: `desktop`, `mobile`, `tablet`, `tv` or `Unknown`.'),
    referrers: counted('Page and project views by referring host; views without a referrer are left out.'),
    funnel: z.object({
      visitors: Count,
      submission_started: Count,
      submitted: Count.describe('Submissions received, including resubmissions.'),
      paid: Count.describe('Payments for the premium plan.'),
      approved: Count,
      conversion: z
        .number()
        .min(0)
        .describe('`approved` divided by `visitors`, rounded to four decimals; 0 without visitors.'),
    }),
  })
  .meta({ id: 'AnalyticsReport' });
export type AnalyticsReport = z.infer<typeof AnalyticsReport>;

/** The most days of a report by dates: as many as `all` has. */
export const REPORT_DAYS_MAX = 3 * 365;

const Day = z.iso
  .date({ error: 'must be a date such as 2026-11-20' })
  .refine((day) => /^2\d{3}/.test(day), { error: 'must be a date from 2000 to 2999' });

const period = {
  range: Range.optional().describe(
    'The number of days including today (UTC); `all` starts with the first day that has data, at most three years ago. `30d` when neither `range` nor `from` is given.',
  ),
  from: Day.optional().describe('The first day (UTC), in place of `range`.'),
  to: Day.optional().describe(
    `The last day (UTC), included; today when absent. Needs \`from\`; both span at most ${REPORT_DAYS_MAX} days.`,
  ),
};

const ReportQuery = z.object({
  ...period,
  groupBy: GroupBy.default('day').describe('The period of one entry of `traffic`. Weeks start on Monday.'),
});

/** What visitors searched for. */
export const SearchedQuery = z
  .object({
    q: z
      .string()
      .describe(
        'In lower case, without accents, at most 60 characters. `(removed)`: looked like personal data. `Other`: all but the 500 most frequent ones of each day.',
      ),
    searches: Count,
    visitors: Count.describe('Distinct per day, added up; none of those who opted out of being counted.'),
    no_results: Count.describe('Searches that found nothing.'),
    clicks: Count.describe('Clicks on results.'),
    average_position: z.number().min(1).nullable().describe('Of the clicks, with two decimals; null without clicks.'),
  })
  .meta({ id: 'SearchedQuery' });
export type SearchedQuery = z.infer<typeof SearchedQuery>;

export const track = defineRoute('analytics.track', {
  method: 'POST',
  path: '/api/analytics/track',
  summary: 'Track events',
  description:
    'One event or up to 50. Sets no cookie and stores nothing that identifies the visitor; a `project_view` counts once per visitor, project and hour. With `Sec-GPC: 1` or `DNT: 1` views are counted but visitors are not. Known bots are not counted: `accepted` is 0. Only this route increases `views_count`.',
  auth: 'public',
  tier: 'analytics',
  feature: 'analytics',
  visitor: true,
  body: TrackedEvents,
  responses: { 202: data(z.object({ accepted: Count.max(EVENTS_MAX).describe('The number of accepted events.') })) },
  permissions: ['table:get'],
  writes: ['tracked-events'],
});

export const report = defineRoute('analytics.report', {
  method: 'GET',
  path: '/api/admin/analytics',
  summary: 'Read the analytics of the site',
  description: 'Up to two minutes old.',
  ...forAdmins('analytics:read'),
  feature: 'analytics',
  query: ReportQuery,
  responses: { 200: data(AnalyticsReport) },
  permissions: ['table:get', 'table:query'],
});

export const searches = defineRoute('analytics.searches', {
  method: 'GET',
  path: '/api/admin/analytics/searches',
  summary: 'List what visitors searched for',
  description: 'Most searches first. Up to two minutes old; kept for 90 days. 404 while search is switched off.',
  ...forAdmins('analytics:read'),
  feature: 'analytics',
  query: z.object({
    ...period,
    only: z
      .enum(['no_results', 'no_clicks'], { error: 'must be no_results or no_clicks' })
      .optional()
      .describe(
        '`no_results`: queries of which no search found anything. `no_clicks`: queries that found something, of which nothing was clicked.',
      ),
    ...paging(20),
  }),
  responses: {
    200: z.object({
      data: z.array(SearchedQuery),
      meta: PageMeta.extend({
        totals: z
          .object({ searches: Count, visitors: Count, no_results: Count, clicks: Count })
          .describe('Of all entries, not only those of this page.'),
      }).meta({ id: 'SearchesMeta' }),
    }),
  },
  failures: ['NOT_FOUND'],
  permissions: ['table:query'],
});

export const projectReport = defineRoute('analytics.projectReport', {
  method: 'GET',
  path: '/api/analytics/projects/{project}',
  summary: 'Read the analytics of a project',
  description: 'For its owner and administrators. Up to two minutes old.',
  auth: 'user',
  scopes: ['analytics:read'],
  tier: 'general',
  feature: 'analytics',
  query: ReportQuery,
  responses: { 200: data(AnalyticsReport) },
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  permissions: ['table:get', 'table:query'],
});
