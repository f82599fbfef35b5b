import * as cron from '#contract/cron.ts';
import type { Route } from '#contract/route.ts';

/** What is done by the clock: each has a function of its own, a schedule, a dead-letter queue and an alarm. */
export interface Job {
  /** The route that runs it by hand; its id is the job's, its feature and its needs are too. */
  readonly route: Route;
  /** `rate(…)` or `cron(…)` as EventBridge Scheduler reads it, in UTC. */
  readonly schedule: string;
  /** How often it runs on a single machine instead, in seconds: where somebody sits in front of it and waits. */
  readonly localSeconds?: number;
  /** Not run by the clock on a single machine: what it does belongs to a site that is up for everybody. */
  readonly deployedOnly?: true;
  /** How much later than said a run may begin, in minutes, so that not all begin at once; at the minute when absent. */
  readonly flexibleMinutes?: number;
  /** How long a scheduled run may take. */
  readonly timeoutSeconds: number;
}

const MINUTES = 60;

/** All jobs. */
export const jobs = [
  { route: cron.rollUpAnalytics, schedule: 'rate(1 minute)', localSeconds: 5, timeoutSeconds: 1 * MINUTES },
  { route: cron.retryWebhooks, schedule: 'rate(1 minute)', localSeconds: 5, timeoutSeconds: 1 * MINUTES },
  { route: cron.expirePromotions, schedule: 'rate(5 minutes)', flexibleMinutes: 1, timeoutSeconds: 2 * MINUTES },
  { route: cron.reconcilePayments, schedule: 'rate(15 minutes)', flexibleMinutes: 5, timeoutSeconds: 1 * MINUTES },
  { route: cron.refreshTrending, schedule: 'rate(1 hour)', flexibleMinutes: 15, timeoutSeconds: 1 * MINUTES },
  { route: cron.snapshotCatalog, schedule: 'rate(10 minutes)', flexibleMinutes: 5, timeoutSeconds: 5 * MINUTES },
  // It asks the listed sites, which a rehearsal on somebody's desk has no business to do unasked.
  {
    route: cron.checkLinks,
    schedule: 'rate(1 hour)',
    deployedOnly: true,
    flexibleMinutes: 15,
    timeoutSeconds: 5 * MINUTES,
  },
  // At night, when little else is written; what one run does not get to the next hour's does.
  {
    route: cron.reconcileCounters,
    schedule: 'cron(10 1-5 * * ? *)',
    flexibleMinutes: 15,
    timeoutSeconds: 14 * MINUTES,
  },
  { route: cron.purgeDeleted, schedule: 'cron(40 2 * * ? *)', flexibleMinutes: 15, timeoutSeconds: 10 * MINUTES },
  // Several times, for those whom one run does not get to and mails that were not accepted; nobody gets a week twice.
  { route: cron.weeklyDigest, schedule: 'cron(0/20 7-10 ? * MON *)', flexibleMinutes: 5, timeoutSeconds: 14 * MINUTES },
] as const satisfies readonly Job[];
