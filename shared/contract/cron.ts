import * as z from 'zod';
import { data, Timestamp } from './fields.ts';
import { defineRoute, type Feature, type Permission } from './route.ts';

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
  const { name, summary, description, feature, permissions, processed, result } = declared;
  const common = {
    path: `/api/cron/${name}`,
    description,
    ...(feature && { feature }),
    auth: 'cron',
    tier: 'general',
    cacheSeconds: 0,
    timeoutSeconds: GATEWAY_SECONDS,
    replies: {
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
  permissions: ['table:get', 'table:query', 'table:write', 'table:sweep', 'mail'],
  processed: 'Promotions whose expiry was recorded.',
  result: { told: Count.describe('Owners who were mailed about a promotion that ends soon.') },
});

export const purgeDeleted = job('purgeDeleted', {
  name: 'purge-deleted',
  summary: 'Purge deleted projects',
  description:
    'Removes projects permanently 30 days after their soft delete, and all but the newest 100 revisions of a project.',
  permissions: ['table:get', 'table:query', 'table:write', 'table:sweep', 'catalog'],
  processed: 'Projects removed permanently.',
  result: { revisions: Count.describe('Old revisions that were deleted.') },
});

export const rollUpAnalytics = job('rollUpAnalytics', {
  name: 'roll-up-analytics',
  summary: 'Roll up analytics',
  description:
    'Adds tracked events to the totals of their day, the views of projects and the impressions and clicks of promotions, and deletes the visitor hashes of past days.',
  feature: 'analytics',
  permissions: ['table:get', 'table:query', 'table:write', 'table:sweep'],
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
    'Stores a snapshot of the catalog for cold starts when enough has changed since the last one, and counts new users.',
  permissions: ['catalog', 'table:get', 'table:collection', 'table:write'],
  processed: 'Listings in the new snapshot; 0 when the last one is recent enough.',
  result: { bytes: Count.describe('Compressed size of the new snapshot.') },
});

export const retryWebhooks = job('retryWebhooks', {
  name: 'retry-webhooks',
  summary: 'Retry webhooks',
  description: 'Sends every webhook delivery that is due.',
  feature: 'webhooks',
  permissions: ['table:get', 'table:collection', 'table:write', 'secrets:open'],
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
  permissions: ['table:get', 'table:query', 'table:collection', 'table:write', 'users:counts', 'catalog'],
  processed: 'Projects recounted.',
  result: {
    repaired: Count.describe('Projects whose counters were wrong and are now correct.'),
    drift: z
      .array(z.object({ project_id: z.string(), counter: z.string(), was: z.number(), is: z.number() }))
      .describe('The first 50 differences.'),
    users: Count.describe('Users whose comments were recounted.'),
    users_repaired: Count,
    slugs_settled: Count.describe('Category slugs released because no project carries them any more.'),
    failed: Count.describe('Repairs that failed; the next run retries them.'),
  },
});

export const reconcilePayments = job('reconcilePayments', {
  name: 'reconcile-payments',
  summary: 'Reconcile payments',
  description: 'Queries the payment provider for checkouts that have been open for a while, in case an event was lost.',
  permissions: ['table:get', 'table:query', 'table:collection', 'table:write', 'stripe'],
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
  permissions: ['table:get', 'table:query', 'table:collection', 'table:write', 'catalog', 'mail'],
  processed: 'Users examined.',
  result: {
    week: z.string().describe('The ISO 8601 week that the digest covers, such as `2026-W47`.'),
    sent: Count.describe('Mails sent by this run.'),
    failed: Count.describe('Mails that were not accepted; the next run retries them.'),
  },
});

export const collectDeadLetters = job('collectDeadLetters', {
  name: 'collect-dead-letters',
  summary: 'Collect dead letters',
  description:
    'Moves events that a subscriber failed to process from the dead-letter queues into the table, where administrators replay or delete them, and deletes those older than 14 days.',
  permissions: ['dead-letters', 'table:query', 'table:write'],
  processed: 'New dead letters.',
  result: { expired: Count.describe('Dead letters that were deleted for their age.') },
});

export const checkLinks = job('checkLinks', {
  name: 'check-links',
  summary: 'Check links',
  description:
    'Requests the sites of live projects. A site is dead after it was not found (404, 410, unknown host) on three days; 403 and 429 are inconclusive. A run that cannot resolve any name is a failure of the network and changes nothing.',
  permissions: ['table:get', 'table:write', 'catalog'],
  processed: 'Addresses requested.',
  result: {
    alive: Count,
    failing: Count.describe('Not found, but not for long enough to be dead.'),
    dead: Count,
    undecided: Count.describe('Inconclusive responses such as 403, 429 or a timeout.'),
    network_failure: z.boolean().describe('No name could be resolved, so nothing was changed.'),
  },
});
