import type { Summary } from '#contract/summary.ts';
import { catalog } from '#data/catalog.ts';
import { countSuppressions } from '#data/mail-suppression.ts';
import { countWaitingPromotions } from '#data/promotions.ts';
import { countUsers } from '#data/user-count.ts';
import { allWebhooks } from '#data/webhooks.ts';

/** What waits for the staff. Listings, edits and reports are counted in memory, everything else by a few short reads. */
export const readSummary = async (): Promise<Summary> => {
  const [projects, promotions_waiting, webhooks, mails_stopped, users] = await Promise.all([
    catalog(),
    countWaitingPromotions(),
    allWebhooks(),
    countSuppressions(),
    countUsers(),
  ]);
  const { live, pending, oldestPendingAt, waitingEdits, openReports } = projects.directoryCounts();
  return {
    pending,
    revisions_pending: waitingEdits,
    reports_open: openReports,
    promotions_waiting,
    webhooks_failing: webhooks.filter(({ failing_since }) => failing_since !== null).length,
    mails_stopped,
    oldest_pending_at: oldestPendingAt,
    live,
    users,
  };
};
