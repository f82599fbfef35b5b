import * as cron from '#contract/jobs.ts';
import type { Route } from '#contract/route.ts';
import { jobNameOf } from '#model/job.ts';
import { sourceOf } from './catalogue.ts';

/** A scheduled job. Each has its own function, schedule, dead-letter queue and alarm. */
export interface Job {
  /** The route that starts it manually; its id, feature, permissions and written entities apply to the job too. */
  readonly route: Route;
  /** A schedule expression of EventBridge Scheduler: `rate(…)` or `cron(…)`, in UTC. */
  readonly schedule: string;
  /** A shorter interval for the local server, in seconds, so that a developer does not have to wait. */
  readonly localSeconds?: number;
  /** On the local server, also runs soon after the start. */
  readonly atStart?: true;
  /** Not scheduled on the local server. */
  readonly deployedOnly?: true;
  /** The flexible time window in minutes, which spreads the starts of jobs; none when absent. */
  readonly flexibleMinutes?: number;
  readonly timeoutSeconds: number;
}

const MINUTES = 60;

export const jobs = [
  { route: cron.rollUpAnalytics.post, schedule: 'rate(1 minute)', localSeconds: 5, timeoutSeconds: 1 * MINUTES },
  {
    route: cron.publishScheduled.post,
    schedule: 'rate(1 minute)',
    localSeconds: 15,
    atStart: true,
    timeoutSeconds: 1 * MINUTES,
  },
  { route: cron.retryWebhooks.post, schedule: 'rate(1 minute)', localSeconds: 5, timeoutSeconds: 1 * MINUTES },
  { route: cron.collectDeadLetters.post, schedule: 'rate(5 minutes)', localSeconds: 15, timeoutSeconds: 1 * MINUTES },
  { route: cron.expirePromotions.post, schedule: 'rate(5 minutes)', flexibleMinutes: 1, timeoutSeconds: 2 * MINUTES },
  { route: cron.reviewVotes.post, schedule: 'rate(5 minutes)', flexibleMinutes: 1, timeoutSeconds: 2 * MINUTES },
  { route: cron.reconcilePayments.post, schedule: 'rate(15 minutes)', flexibleMinutes: 5, timeoutSeconds: 1 * MINUTES },
  { route: cron.refreshTrending.post, schedule: 'rate(1 hour)', flexibleMinutes: 15, timeoutSeconds: 1 * MINUTES },
  // Every minute on a local server, so that a restart soon after an import loads a snapshot instead of the feed.
  {
    route: cron.snapshotCatalog.post,
    schedule: 'rate(10 minutes)',
    localSeconds: 60,
    flexibleMinutes: 5,
    timeoutSeconds: 5 * MINUTES,
  },
  // Sends requests to the listed sites, which a local server must not do on its own.
  {
    route: cron.checkLinks.post,
    schedule: 'rate(1 hour)',
    deployedOnly: true,
    flexibleMinutes: 15,
    timeoutSeconds: 5 * MINUTES,
  },
  // Hourly at night, when there are few writes; each run continues the previous one.
  {
    route: cron.reconcileCounters.post,
    schedule: 'cron(10 1-5 * * ? *)',
    flexibleMinutes: 15,
    timeoutSeconds: 14 * MINUTES,
  },
  { route: cron.purgeDeleted.post, schedule: 'cron(40 2 * * ? *)', flexibleMinutes: 15, timeoutSeconds: 10 * MINUTES },
  // Repeated, to continue unfinished runs and retry rejected emails; each user receives a week's digest at most once.
  {
    route: cron.weeklyDigest.post,
    schedule: 'cron(0/20 7-10 ? * MON *)',
    flexibleMinutes: 5,
    timeoutSeconds: 14 * MINUTES,
  },
  // Repeated for the same reasons; a repeated run sends nothing twice.
  {
    route: cron.followDigest.post,
    schedule: 'cron(0/20 6 * * ? *)',
    timeoutSeconds: 14 * MINUTES,
  },
] as const satisfies readonly Job[];

/** The EventBridge event pattern of a run that an administrator has requested. */
export const requestedRunsOf = ({ route }: Job) => ({
  source: [sourceOf('jobDue')],
  'detail-type': ['jobDue'],
  detail: { data: { job: [jobNameOf(route)] } },
});
