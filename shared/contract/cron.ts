import * as z from 'zod';
import { data } from './envelope.ts';
import { Timestamp } from './fields.ts';
import { defineRoute } from './route.ts';

const Count = z.int().min(0);

const ran = <const Job extends string, Shape extends z.ZodRawShape>(job: Job, processed: string, more: Shape) =>
  data(
    z.object({
      job: z.literal(job),
      ran_at: Timestamp.describe('When this run began.'),
      processed: Count.describe(processed),
      unfinished: z.boolean().describe('Whether its time was up before it was through; the next run goes on.'),
      ...more,
    }),
  );

const WAIT_SECONDS = 29;

const common = {
  auth: 'cron',
  tier: 'general',
  cacheSeconds: 0,
  timeoutSeconds: WAIT_SECONDS,
} as const;

const expiring = {
  ...common,
  path: '/api/cron/expire-promotions',
  description:
    'Notes which promotions have come to their end, ends those whose project is gone, and tells whose promotions end within three days.',
  feature: 'promotions',
  replies: {
    200: ran('expire-promotions', 'Promotions whose end was noted.', {
      told: Count.describe('Owners who were told of an end to come.'),
    }),
  },
  needs: ['table:get', 'table:query', 'table:write', 'mail'],
} as const;
export const expirePromotions = defineRoute('cron.expirePromotions', {
  ...expiring,
  method: 'POST',
  summary: 'Expire promotions',
});
export const expirePromotionsByGet = defineRoute('cron.expirePromotionsByGet', {
  ...expiring,
  method: 'GET',
  door: 'cron.expirePromotions',
  summary: 'Expire promotions by GET',
});

const purging = {
  ...common,
  path: '/api/cron/purge-deleted',
  description: 'Removes for good what was deleted 30 days ago.',
  replies: { 200: ran('purge-deleted', 'Projects that were removed for good.', {}) },
  needs: ['table:get', 'table:write', 'catalog'],
} as const;
export const purgeDeleted = defineRoute('cron.purgeDeleted', {
  ...purging,
  method: 'POST',
  summary: 'Purge deleted projects',
});
export const purgeDeletedByGet = defineRoute('cron.purgeDeletedByGet', {
  ...purging,
  method: 'GET',
  door: 'cron.purgeDeleted',
  summary: 'Purge deleted projects by GET',
});

const rolling = {
  ...common,
  path: '/api/cron/roll-up-analytics',
  description: 'Adds what was tracked to the figures of its day, and forgets who visited on days that are over.',
  feature: 'analytics',
  replies: { 200: ran('roll-up-analytics', 'Events that were counted.', {}) },
  needs: ['table:get', 'table:query', 'table:write', 'table:sweep'],
} as const;
export const rollUpAnalytics = defineRoute('cron.rollUpAnalytics', {
  ...rolling,
  method: 'POST',
  summary: 'Roll analytics up',
});
export const rollUpAnalyticsByGet = defineRoute('cron.rollUpAnalyticsByGet', {
  ...rolling,
  method: 'GET',
  door: 'cron.rollUpAnalytics',
  summary: 'Roll analytics up by GET',
});

const refreshing = {
  ...common,
  path: '/api/cron/refresh-trending',
  description:
    'Reads the directory anew and tells what is trending now. Nothing is stored: the order follows every reaction by itself and does not change by waiting.',
  replies: {
    200: ran('refresh-trending', 'Live projects that were compared.', {
      trending: z
        .array(z.object({ id: z.string(), slug: z.string(), name: z.string(), upvote_count: Count }))
        .describe('The first ten.'),
    }),
  },
  needs: ['catalog'],
} as const;
export const refreshTrending = defineRoute('cron.refreshTrending', {
  ...refreshing,
  method: 'POST',
  summary: 'Tell what is trending',
});
export const refreshTrendingByGet = defineRoute('cron.refreshTrendingByGet', {
  ...refreshing,
  method: 'GET',
  door: 'cron.refreshTrending',
  summary: 'Tell what is trending by GET',
});

const snapping = {
  ...common,
  path: '/api/cron/snapshot-catalog',
  description: 'Keeps the catalog as it is for processes that begin, where enough has changed since the last time.',
  replies: {
    200: ran('snapshot-catalog', 'Listings that were kept; 0 where the last snapshot will still do.', {
      bytes: Count.describe('What was kept takes, compressed.'),
    }),
  },
  needs: ['catalog', 'table:write'],
} as const;
export const snapshotCatalog = defineRoute('cron.snapshotCatalog', {
  ...snapping,
  method: 'POST',
  summary: 'Snapshot the catalog',
});
export const snapshotCatalogByGet = defineRoute('cron.snapshotCatalogByGet', {
  ...snapping,
  method: 'GET',
  door: 'cron.snapshotCatalog',
  summary: 'Snapshot the catalog by GET',
});

const retrying = {
  ...common,
  path: '/api/cron/retry-webhooks',
  description: 'Tries every delivery of a webhook that is due.',
  feature: 'webhooks',
  replies: {
    200: ran('retry-webhooks', 'Deliveries that were tried.', {
      delivered: Count,
      failed: Count.describe('Tried in vain; they are tried again or have used up their tries.'),
      cancelled: Count.describe('Given up because their webhook is switched off.'),
    }),
  },
  needs: ['table:get', 'table:collection', 'table:write'],
} as const;
export const retryWebhooks = defineRoute('cron.retryWebhooks', {
  ...retrying,
  method: 'POST',
  summary: 'Retry webhooks',
});
export const retryWebhooksByGet = defineRoute('cron.retryWebhooksByGet', {
  ...retrying,
  method: 'GET',
  door: 'cron.retryWebhooks',
  summary: 'Retry webhooks by GET',
});

const recounting = {
  ...common,
  path: '/api/cron/reconcile-counters',
  description:
    'Counts votes, ratings and comments of every project and the comments of every user anew, and mends what differs; takes category slugs that mean nothing any more from projects.',
  replies: {
    200: ran('reconcile-counters', 'Projects that were counted.', {
      repaired: Count.describe('Projects whose counters were wrong and are right now.'),
      drift: z
        .array(z.object({ project_id: z.string(), counter: z.string(), was: z.number(), is: z.number() }))
        .describe('What was wrong; the first 50.'),
      users: Count.describe('Users whose comments were counted.'),
      users_repaired: Count,
      slugs_settled: Count.describe('Category slugs that no project carries any more.'),
      failed: Count.describe('What could not be mended; the next run comes back to it.'),
    }),
  },
  needs: ['table:get', 'table:query', 'table:collection', 'table:write', 'catalog'],
} as const;
export const reconcileCounters = defineRoute('cron.reconcileCounters', {
  ...recounting,
  method: 'POST',
  summary: 'Reconcile counters',
});
export const reconcileCountersByGet = defineRoute('cron.reconcileCountersByGet', {
  ...recounting,
  method: 'GET',
  door: 'cron.reconcileCounters',
  summary: 'Reconcile counters by GET',
});

const settling = {
  ...common,
  path: '/api/cron/reconcile-payments',
  description: 'Asks the payment provider about checkouts that have been open for a while, for events that never came.',
  replies: {
    200: ran('reconcile-payments', 'Open checkouts that were looked at.', {
      settled: Count.describe('Those that turned out to be paid.'),
      ended: Count.describe('Those that turned out to have ended without a payment.'),
      failed: Count.describe('Those that could not be asked about; the next run comes back to them.'),
    }),
  },
  needs: ['table:get', 'table:query', 'table:collection', 'table:write', 'stripe'],
} as const;
export const reconcilePayments = defineRoute('cron.reconcilePayments', {
  ...settling,
  method: 'POST',
  summary: 'Reconcile payments',
});
export const reconcilePaymentsByGet = defineRoute('cron.reconcilePaymentsByGet', {
  ...settling,
  method: 'GET',
  door: 'cron.reconcilePayments',
  summary: 'Reconcile payments by GET',
});

const digesting = {
  ...common,
  path: '/api/cron/weekly-digest',
  description: 'Mails those who want it what the last week has brought, once per user and week.',
  feature: 'email',
  replies: {
    200: ran('weekly-digest', 'Users that were looked at.', {
      week: z.string().describe('The week that is told of, by ISO 8601, such as `2026-W47`.'),
      sent: Count.describe('Mails that were sent now.'),
      failed: Count.describe('Mails that were not accepted; the next run tries them again.'),
    }),
  },
  needs: ['table:get', 'table:query', 'table:collection', 'table:write', 'catalog', 'mail'],
} as const;
export const weeklyDigest = defineRoute('cron.weeklyDigest', {
  ...digesting,
  method: 'POST',
  summary: 'Mail the weekly digest',
});
export const weeklyDigestByGet = defineRoute('cron.weeklyDigestByGet', {
  ...digesting,
  method: 'GET',
  door: 'cron.weeklyDigest',
  summary: 'Mail the weekly digest by GET',
});

const checking = {
  ...common,
  path: '/api/cron/check-links',
  description:
    'Looks whether the sites of live projects are still there. One is dead after it was not found (404, 410, no such name) on three days; 403 and 429 say nothing.',
  replies: {
    200: ran('check-links', 'Addresses that were asked for.', {
      alive: Count,
      failing: Count.describe('Not found, but not for long enough to be dead.'),
      dead: Count,
      undecided: Count.describe('Answers from which nothing follows, such as 403, 429 and none at all.'),
    }),
  },
  needs: ['table:get', 'table:write', 'catalog'],
} as const;
export const checkLinks = defineRoute('cron.checkLinks', { ...checking, method: 'POST', summary: 'Check links' });
export const checkLinksByGet = defineRoute('cron.checkLinksByGet', {
  ...checking,
  method: 'GET',
  door: 'cron.checkLinks',
  summary: 'Check links by GET',
});
