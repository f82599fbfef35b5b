import type { Summary } from '#contract/summary.ts';
import { catalog } from '#data/catalog.ts';
import { countDeadLetters } from '#data/dead-letters.ts';
import { countSuppressions } from '#data/mail-suppression.ts';
import { countWaitingPromotions } from '#data/promotions.ts';
import { countUsers } from '#data/user-count.ts';
import { allWebhooks } from '#data/webhooks.ts';
import { settings } from '#platform/settings.ts';
import { countFailedJobs } from '#services/jobs/states.ts';

/** What waits for the staff. Listings, edits and reports are counted in memory, everything else by a few short reads. */
export const readSummary = async (): Promise<Summary> => {
  const { features } = settings();
  const [projects, promotions_waiting, webhooks, dead_letters, mails_stopped, jobs_failed, users] = await Promise.all([
    catalog(),
    features.promotions ? countWaitingPromotions() : 0,
    features.webhooks ? allWebhooks() : [],
    countDeadLetters(),
    countSuppressions(),
    countFailedJobs(),
    countUsers(),
  ]);
  const { live, pending, oldestPendingAt, waitingEdits, openReports } = projects.directoryCounts();
  return {
    pending,
    revisions_pending: waitingEdits,
    reports_open: openReports,
    promotions_waiting,
    webhooks_failing: webhooks.filter(({ failing_since }) => failing_since !== null).length,
    dead_letters,
    mails_stopped,
    oldest_pending_at: oldestPendingAt,
    jobs_failed,
    live,
    users,
  };
};
