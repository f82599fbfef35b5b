import type { Summary } from '#contract/summary.ts';
import { catalog } from '#data/catalog.ts';
import { countOpenClaims } from '#data/claims.ts';
import { countDeadLetters } from '#data/dead-letters.ts';
import { countSuppressions } from '#data/mail-suppression.ts';
import { countPendingPromotions } from '#data/promotions.ts';
import { countUsers } from '#data/users.ts';
import { countOpenVoteCases } from '#data/vote-cases.ts';
import { webhooks } from '#data/webhooks.ts';
import { environment } from '#platform/environment.ts';
import { countFailedJobs } from '#services/jobs/manage.ts';

/** What waits for the staff. Listings, edits and reports are counted in memory, everything else by a few short reads. */
export const readSummary = async (): Promise<Summary> => {
  const { features } = environment();
  const [
    projects,
    vote_cases_open,
    claims_open,
    promotions_waiting,
    allWebhooks,
    dead_letters,
    mails_stopped,
    jobs_failed,
    users,
  ] = await Promise.all([
    catalog(),
    features.vote_review ? countOpenVoteCases() : undefined,
    features.claims ? countOpenClaims() : undefined,
    features.promotions ? countPendingPromotions() : 0,
    features.webhooks ? webhooks.all() : [],
    countDeadLetters(),
    countSuppressions(),
    countFailedJobs(),
    countUsers(),
  ]);
  const { live, pending, scheduled, oldestPendingAt, pendingEdits, openReports } = projects.directoryCounts();
  return {
    pending,
    scheduled,
    revisions_pending: pendingEdits,
    reports_open: openReports,
    ...(vote_cases_open !== undefined && { vote_cases_open }),
    ...(claims_open !== undefined && { claims_open }),
    promotions_waiting,
    webhooks_failing: allWebhooks.filter(({ failing_since }) => failing_since !== null).length,
    dead_letters,
    mails_stopped,
    oldest_pending_at: oldestPendingAt,
    jobs_failed,
    live,
    users,
  };
};
