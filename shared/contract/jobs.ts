import * as z from 'zod';
import { data, Timestamp } from './fields.ts';
import { adminOnly, defineRoute, type Entity, type Feature, type Permission } from './route.ts';

const JobRun = z
  .object({
    at: Timestamp.describe('The start of the run.'),
    took_ms: z.int().min(0),
    ok: z.boolean(),
    summary: z.string().describe('What the run did, or why it failed.'),
  })
  .meta({ id: 'JobRun' });
export type JobRun = z.infer<typeof JobRun>;

const RUNS_MAX = 10;

export const Job = z
  .object({
    name: z.string().describe('As in the path, such as `purge-deleted`.'),
    schedule: z.string().describe('A schedule expression of EventBridge Scheduler, in UTC.'),
    last_run: JobRun.nullable().describe(
      'By its schedule, by an administrator or with the job secret; null before the first run.',
    ),
    recent_runs: z
      .array(JobRun)
      .max(RUNS_MAX)
      .describe(
        `The newest ${RUNS_MAX} runs that ended, newest first. A run that was interrupted is among them until the next one begins; of runs that overlap one may be missing.`,
      ),
    next_run_at: Timestamp.nullable().describe(
      'The time of the next run by the schedule, up to the deviation that the scheduler allows itself; null unless the job is enabled, and for a rate before the first run.',
    ),
    is_enabled: z.boolean().describe('Whether the job is scheduled here and its feature is on.'),
    off: z
      .object({
        reason: z.enum(['feature', 'deployed_only']),
        variable: z.string().nullable().describe('The variable that switches the job on, such as `FEATURE_EMAIL`.'),
      })
      .nullable()
      .describe('Why the job is not enabled: its feature is off, or one machine does not schedule it.'),
    is_running: z.boolean().describe('Whether a run is in progress or requested.'),
  })
  .meta({ id: 'Job' });
export type Job = z.infer<typeof Job>;

export const list = defineRoute('jobs.list', {
  ...adminOnly,
  method: 'GET',
  path: '/api/admin/jobs',
  summary: 'List the scheduled jobs',
  description: 'By name, each with its last run. A run that was interrupted counts as failed.',
  responses: { 200: data(z.array(Job)) },
  permissions: ['table:query'],
});

export const run = defineRoute('jobs.run', {
  ...adminOnly,
  method: 'POST',
  path: '/api/admin/jobs/{job}/run',
  summary: 'Run a job',
  description:
    'Responds at once; the job runs in the background and its outcome is its `last_run`. 409 `IN_PROGRESS` while a run is in progress, and `INVALID_TRANSITION` while the feature of the job is off.',
  responses: { 202: data(z.object({ name: z.string(), requested_at: Timestamp }).meta({ id: 'RequestedRun' })) },
  failures: ['NOT_FOUND', 'IN_PROGRESS', 'INVALID_TRANSITION'],
  permissions: [],
  writes: ['jobs', 'events'],
});

const Count = z.int().min(0);

/** The time that API Gateway gives an integration. */
const GATEWAY_SECONDS = 29;

interface JobDeclaration<Segment extends string, Result extends z.ZodRawShape> {
  /** The last segment of the path, and `job` in the response. */
  readonly name: Segment;
  readonly summary: string;
  readonly description: string;
  readonly feature?: Feature;
  readonly permissions: readonly Permission[];
  readonly writes?: readonly Entity[];
  /** What `processed` counts. */
  readonly processed: string;
  /** What the response holds beside `job`, `ran_at`, `processed` and `unfinished`. */
  readonly result: Result;
}

/**
 * Declares the two routes of a job, `POST` and `GET`, which share one handler. EventBridge Scheduler invokes the same
 * handler directly.
 */
const job = <const Action extends string, const Segment extends string, const Result extends z.ZodRawShape>(
  action: Action,
  declared: JobDeclaration<Segment, Result>,
) => {
  const { name, summary, description, feature, permissions, writes, processed, result } = declared;
  const common = {
    path: `/api/cron/${name}`,
    description,
    ...(feature && { feature }),
    auth: 'cron',
    tier: 'general',
    cacheSeconds: 0,
    timeoutSeconds: GATEWAY_SECONDS,
    responses: {
      200: data(
        z.object({
          job: z.literal(name),
          ran_at: Timestamp.describe('The start of this run.'),
          processed: Count.describe(processed),
          unfinished: z.boolean().describe('True when the time ran out; the next run continues.'),
          ...result,
        }),
      ),
    },
    permissions,
    ...(writes && { writes }),
  } as const;
  return {
    post: defineRoute(`cron.${action}`, { ...common, method: 'POST', summary }),
    get: defineRoute(`cron.${action}ByGet`, {
      ...common,
      method: 'GET',
      handlerId: `cron.${action}`,
      summary: `${summary} by GET`,
    }),
  };
};

export const expirePromotions = job('expirePromotions', {
  name: 'expire-promotions',
  summary: 'Expire promotions',
  description:
    'Records the expiry of promotions, ends promotions of removed projects, and mails owners whose promotion ends within three days. While the feature `analytics` is off, it also adds impressions and clicks.',
  feature: 'promotions',
  permissions: ['table:get', 'table:query', 'table:sweep', 'mail'],
  writes: ['promotions', 'events', 'tracked-events', 'visitors', 'analytics', 'projects', 'promotion-counts'],
  processed: 'Promotions whose expiry was recorded.',
  result: { notified: Count.describe('Owners who were mailed about a promotion that ends soon.') },
});

export const purgeDeleted = job('purgeDeleted', {
  name: 'purge-deleted',
  summary: 'Purge deleted projects and fields',
  description:
    'Removes projects and definitions of fields permanently 30 days after their soft delete, and all but the newest 100 revisions of a project.',
  permissions: ['table:get', 'table:query', 'table:sweep', 'catalog'],
  writes: ['projects', 'slugs', 'events', 'fields'],
  processed: 'Projects removed permanently.',
  result: {
    revisions: Count.describe('Old revisions that were deleted.'),
    fields: Count.describe('Definitions of fields that were removed permanently.'),
  },
});

export const publishScheduled = job('publishScheduled', {
  name: 'publish-scheduled',
  summary: 'Publish scheduled projects',
  description: 'Makes the approved projects live whose time of publication has come, each once.',
  feature: 'drafts',
  permissions: ['table:get', 'table:collection'],
  writes: ['projects', 'events'],
  processed: 'Projects published.',
  result: {},
});

export const rollUpAnalytics = job('rollUpAnalytics', {
  name: 'roll-up-analytics',
  summary: 'Roll up analytics',
  description:
    'Adds tracked events to the totals of their day, the views of projects and the impressions and clicks of promotions, and deletes the visitor hashes of past days.',
  feature: 'analytics',
  permissions: ['table:get', 'table:query', 'table:sweep'],
  writes: ['tracked-events', 'visitors', 'analytics', 'projects', 'promotion-counts'],
  processed: 'Events counted.',
  result: {},
});

export const refreshTrending = job('refreshTrending', {
  name: 'refresh-trending',
  summary: 'Refresh trending projects',
  description:
    'Brings the catalog up to date and returns the trending projects. Nothing is stored: the order follows each vote and does not change with time alone.',
  permissions: ['catalog'],
  processed: 'Live projects compared.',
  result: {
    trending: z
      .array(z.object({ id: z.string(), slug: z.string(), name: z.string(), upvote_count: Count }))
      .describe('The first ten.'),
  },
});

export const snapshotCatalog = job('snapshotCatalog', {
  name: 'snapshot-catalog',
  summary: 'Snapshot the catalog',
  description:
    'Stores a snapshot of the catalog for cold starts when enough has changed since the last one, counts new users, and gives changes the current time that a clock which was ahead has stamped.',
  permissions: ['catalog', 'table:get', 'table:collection'],
  writes: ['snapshots', 'feed-stamps', 'user-count'],
  processed: 'Listings in the new snapshot; 0 when the last one is recent enough.',
  result: { bytes: Count.describe('Compressed size of the new snapshot.') },
});

export const retryWebhooks = job('retryWebhooks', {
  name: 'retry-webhooks',
  summary: 'Retry webhooks',
  description: 'Sends every webhook delivery that is due.',
  feature: 'webhooks',
  permissions: ['table:get', 'table:collection', 'secrets:open'],
  writes: ['webhooks', 'deliveries', 'events'],
  processed: 'Deliveries attempted.',
  result: {
    delivered: Count,
    failed: Count.describe('Failed attempts; retried later unless the attempts are used up.'),
    cancelled: Count.describe('Cancelled because the webhook is inactive.'),
  },
});

export const reconcileCounters = job('reconcileCounters', {
  name: 'reconcile-counters',
  summary: 'Reconcile counters',
  description:
    'Recounts votes, ratings and comments of every project and the comments of every user, repairs counters that differ, removes category slugs that no longer exist from projects, and deletes votes and ratings of erased users that remained.',
  permissions: ['table:get', 'table:query', 'table:collection', 'catalog'],
  writes: ['projects', 'categories', 'batches', 'checkpoints', 'users:counts'],
  processed: 'Projects recounted.',
  result: {
    repaired: Count.describe('Projects whose counters were wrong and are now correct.'),
    drift: z
      .array(z.object({ project_id: z.string(), counter: z.string(), was: z.number(), is: z.number() }))
      .describe('The first 50 differences.'),
    users: Count.describe('Users whose comments were recounted.'),
    users_repaired: Count,
    slugs_propagated: Count.describe('Category slugs released because no project carries them any more.'),
    failed: Count.describe('Repairs that failed; the next run retries them.'),
  },
});

export const reviewVotes = job('reviewVotes', {
  name: 'review-votes',
  summary: 'Review votes',
  description:
    'Opens a case for each listing with conspicuous votes of the last two days, or adds later ones to the open case. It changes no count.',
  feature: 'vote_review',
  permissions: ['table:get', 'table:query', 'table:feed'],
  writes: ['projects'],
  processed: 'Listings whose votes were compared.',
  result: {
    opened: Count.describe('New cases.'),
    votes: Count.describe('Votes that were added to a case.'),
  },
});

export const reconcilePayments = job('reconcilePayments', {
  name: 'reconcile-payments',
  summary: 'Reconcile payments',
  description: 'Queries the payment provider for checkouts that have been open for a while, in case an event was lost.',
  permissions: ['table:get', 'table:query', 'table:collection', 'stripe'],
  writes: ['checkouts', 'payments', 'projects', 'slugs', 'drafts', 'promotions', 'events', 'audit'],
  processed: 'Open checkouts examined.',
  result: {
    settled: Count.describe('Checkouts found to be paid.'),
    ended: Count.describe('Checkouts found to have ended without payment.'),
    failed: Count.describe('Checkouts whose state could not be read; the next run retries them.'),
  },
});

export const weeklyDigest = job('weeklyDigest', {
  name: 'weekly-digest',
  summary: 'Mail the weekly digest',
  description: 'Mails the news of the last week to users who subscribed, once per user and week.',
  feature: 'email',
  permissions: ['table:get', 'table:query', 'table:collection', 'catalog', 'mail'],
  writes: ['checkpoints'],
  processed: 'Users examined.',
  result: {
    week: z.string().describe('The ISO 8601 week that the digest covers, such as `2026-W47`.'),
    sent: Count.describe('Mails sent by this run.'),
    failed: Count.describe('Mails that were not accepted; the next run retries them.'),
  },
});

export const followDigest = job('followDigest', {
  name: 'follow-digest',
  summary: 'Mail new listings to followers',
  description:
    'Mails the listings that were published since the last digest and match what a user follows, on Mondays also those of weekly follows: at most one mail per user and day (UTC), and none without new listings.',
  feature: 'follows',
  permissions: ['table:get', 'table:query', 'table:collection', 'catalog', 'mail'],
  writes: ['follows', 'checkpoints'],
  processed: 'Users with follows.',
  result: {
    sent: Count.describe('Mails sent by this run.'),
    failed: Count.describe('Mails that were not accepted; the next run retries them.'),
  },
});

export const collectDeadLetters = job('collectDeadLetters', {
  name: 'collect-dead-letters',
  summary: 'Collect dead letters',
  description:
    'Moves events that a subscriber failed to process from the dead-letter queues into the table, where administrators replay or delete them, and deletes those older than 14 days.',
  permissions: ['dead-letters', 'table:get', 'table:query'],
  writes: ['dead-letters', 'deduplication'],
  processed: 'New dead letters.',
  result: { expired: Count.describe('Dead letters that were deleted for their age.') },
});

export const checkLinks = job('checkLinks', {
  name: 'check-links',
  summary: 'Check links',
  description:
    'Requests the sites of live projects. A site is dead after it was not found (404, 410, unknown host) on three days; 403 and 429 are inconclusive. A run that cannot resolve any name is a failure of the network and changes nothing.',
  permissions: ['table:get', 'catalog'],
  writes: ['projects', 'checkpoints'],
  processed: 'Addresses requested.',
  result: {
    alive: Count,
    failing: Count.describe('Not found, but not for long enough to be dead.'),
    dead: Count,
    undecided: Count.describe('Inconclusive responses such as 403, 429 or a timeout.'),
    network_failure: z.boolean().describe('No name could be resolved, so nothing was changed.'),
  },
});
