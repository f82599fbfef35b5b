import { eventKindNames } from '#contract/events.ts';
import type { Entity, Feature, Permission } from '#contract/route.ts';
import { DAY_SECONDS } from '#model/days.ts';
import { type MessageKind, REPLAY_SOURCE, sourceOf } from './catalogue.ts';

/**
 * The subscription to bounce and complaint feedback of SES, which publishes it to the default bus of the account, for all
 * stages.
 */
export const mailFeedback = {
  id: 'mail.recordFeedback',
  summary: 'Suppresses addresses after permanent bounces and complaints.',
  source: 'aws.ses',
  /** The `detail-type` of each. */
  kinds: { bounce: 'Email Bounced', complaint: 'Email Complaint Received' },
  permissions: ['table:get'],
  writes: ['mail-suppressions'],
} as const satisfies Pick<Subscription, 'permissions' | 'writes'> & Record<string, unknown>;

/**
 * How many days deduplication records are kept. Within this time, an event repeated by a retry or from the archive of the
 * bus is not processed twice.
 */
export const DEDUPLICATION_DAYS = 30;
export const DEDUPLICATION_SECONDS = DEDUPLICATION_DAYS * DAY_SECONDS;

/** A subscriber of messages. Each has its own function, rule, dead-letter queue and alarm. */
export interface Subscription {
  /** `domain.actionObject`; the handler is `functions/<domain>/<action-object>.ts`. */
  readonly id: string;
  readonly summary: string;
  readonly kinds: readonly MessageKind[];
  /** Skipped while this feature is off. */
  readonly feature?: Feature;
  readonly permissions: readonly Permission[];
  /** The entities that it writes; none by default. Its results, and the records of mails sent, are derived. */
  readonly writes?: readonly Entity[];
  /** The timeout of the function; 30 when absent. */
  readonly timeoutSeconds?: number;
  /** The reserved concurrency of the function, in stages that reserve it. */
  readonly reservedConcurrency?: number;
}

/** Keeps the literal types. */
const defineSubscription = <const S extends Subscription>(subscription: S): S => subscription;

export const notifySubmitter = defineSubscription({
  id: 'mail.notifySubmitter',
  summary: 'Mails the submitter when a project or an edit of it is received, approved or rejected.',
  kinds: [
    'projectSubmitted',
    'projectApproved',
    'projectScheduled',
    'projectRejected',
    'revisionApproved',
    'revisionRejected',
  ],
  feature: 'email',
  permissions: ['table:get', 'mail'],
  reservedConcurrency: 5,
});

export const notifyBuyer = defineSubscription({
  id: 'mail.notifyBuyer',
  summary: 'Mails the buyer when a payment is received.',
  kinds: ['paymentSettled'],
  feature: 'email',
  permissions: ['table:get', 'mail'],
  reservedConcurrency: 5,
});

export const notifyAdmins = defineSubscription({
  id: 'mail.notifyAdmins',
  summary: 'Mails the administrators when a webhook was switched off.',
  kinds: ['webhookDisabled'],
  feature: 'email',
  permissions: ['table:get', 'table:collection', 'mail'],
  timeoutSeconds: 120,
});

export const enqueueWebhooks = defineSubscription({
  id: 'webhooks.enqueue',
  summary: 'Creates the webhook deliveries of an event and attempts each immediately.',
  kinds: eventKindNames,
  feature: 'webhooks',
  permissions: ['table:get', 'table:query', 'secrets:open'],
  writes: ['webhooks', 'deliveries'],
  reservedConcurrency: 20,
  timeoutSeconds: 60,
});

export const restartDeliveries = defineSubscription({
  id: 'webhooks.restartFailed',
  summary: 'Restarts the failed deliveries of a webhook since a time, on request.',
  kinds: ['webhookReplayDue'],
  permissions: ['table:get', 'table:query'],
  writes: ['deliveries', 'events'],
  timeoutSeconds: 300,
});

export const finishPurge = defineSubscription({
  id: 'projects.finishPurge',
  summary: 'Deletes the orphaned data of a purged project: votes, ratings, comments, claims and slugs.',
  kinds: ['projectPurged'],
  permissions: ['table:get', 'table:query', 'table:sweep'],
  writes: ['projects', 'slugs', 'reports', 'claims', 'users:counts'],
  reservedConcurrency: 2,
  timeoutSeconds: 300,
});

export const finishCategoryChange = defineSubscription({
  id: 'categories.finishChange',
  summary: 'Propagates the removal, merging or renaming of a category to its projects, and ends its batch.',
  kinds: ['categoryRemoved', 'categoryMerged', 'categoryRenamed'],
  permissions: ['table:get', 'table:query', 'catalog'],
  writes: ['categories', 'projects', 'batches', 'events'],
  reservedConcurrency: 2,
  timeoutSeconds: 300,
});

export const finishRevert = defineSubscription({
  id: 'batches.finishRevert',
  summary: 'Completes the revert of a batch that a request has begun.',
  kinds: ['revertDue'],
  permissions: ['table:get', 'table:query'],
  writes: ['projects', 'slugs', 'batches', 'events'],
  reservedConcurrency: 2,
  timeoutSeconds: 300,
});

export const runImport = defineSubscription({
  id: 'imports.run',
  summary: 'Imports the rows of an uploaded file, and continues in another run when the time is up.',
  kinds: ['importDue'],
  permissions: ['table:get', 'table:query', 'table:sweep', 'catalog', 'uploads:read', 'uploads:delete'],
  writes: ['imports', 'projects', 'slugs', 'reports', 'claims', 'categories', 'batches', 'events', 'users:counts'],
  reservedConcurrency: 2,
  timeoutSeconds: 300,
});

export const refundPayment = defineSubscription({
  id: 'payments.refund',
  summary: 'Refunds a payment for something that cannot be delivered.',
  kinds: ['refundDue'],
  permissions: ['table:get', 'stripe'],
});

export const finishErasure = defineSubscription({
  id: 'users.finishErasure',
  summary:
    'Deletes the data of an erased user, on request projects too; revokes the API keys that the user made; removes the user from reports, events, deliveries, dead letters and the audit log.',
  kinds: ['userErased'],
  permissions: ['table:get', 'table:query', 'table:collection', 'accounts'],
  writes: [
    'projects',
    'slugs',
    'reports',
    'claims',
    'drafts',
    'checkouts',
    'batches',
    'bookmarks',
    'follows',
    'api-keys:end',
    'events',
    'audit',
    'deliveries',
    'dead-letters',
  ],
  reservedConcurrency: 2,
  timeoutSeconds: 300,
});

export const applyVoteCase = defineSubscription({
  id: 'votes.applyDecision',
  summary: 'Holds or counts the remaining votes of a large case after a decision.',
  kinds: ['voteCaseDecided'],
  permissions: ['table:get', 'table:query'],
  writes: ['projects'],
  reservedConcurrency: 2,
  timeoutSeconds: 300,
});

export const notifyOwners = defineSubscription({
  id: 'mail.notifyOwners',
  summary: 'Mails the new and the former owner when a claim was applied.',
  kinds: ['projectClaimed'],
  feature: 'email',
  permissions: ['table:get', 'mail'],
  reservedConcurrency: 5,
});

export const rejectOtherClaims = defineSubscription({
  id: 'claims.rejectOthers',
  summary: 'Rejects the other claims that wait when one was applied.',
  kinds: ['projectClaimed'],
  feature: 'claims',
  permissions: ['table:get', 'table:query'],
  writes: ['projects', 'events'],
  reservedConcurrency: 2,
  timeoutSeconds: 300,
});

export const revokePromotions = defineSubscription({
  id: 'promotions.revokeForProject',
  summary: 'Ends the promotions of a permanently deleted project, which frees their slots.',
  kinds: ['projectDeleted'],
  feature: 'promotions',
  permissions: ['table:query'],
  writes: ['promotions', 'events'],
  reservedConcurrency: 2,
});

export const countSteps = defineSubscription({
  id: 'analytics.countStep',
  summary: 'Counts submissions, their payments and approvals for the funnel.',
  kinds: ['projectSubmitted', 'paymentSettled', 'projectApproved'],
  feature: 'analytics',
  permissions: ['table:get'],
  writes: ['analytics', 'projects', 'deduplication'],
  reservedConcurrency: 5,
});

export const reportChanges = defineSubscription({
  id: 'feeds.reportChanges',
  summary: 'Reports published, changed and removed public listings to search engines by IndexNow, where a key is set.',
  kinds: ['projectApproved', 'projectUpdated', 'revisionApproved', 'projectClaimed', 'projectDeleted', 'batchEnded'],
  permissions: ['table:get', 'table:query'],
  reservedConcurrency: 2,
  timeoutSeconds: 300,
});

export const subscriptions = [
  notifySubmitter,
  notifyBuyer,
  notifyOwners,
  notifyAdmins,
  enqueueWebhooks,
  restartDeliveries,
  finishPurge,
  finishCategoryChange,
  finishRevert,
  runImport,
  finishErasure,
  refundPayment,
  applyVoteCase,
  rejectOtherClaims,
  revokePromotions,
  countSteps,
  reportChanges,
] as const;

/** The EventBridge event pattern of the events that are replayed to a subscriber. */
export const replaysOf = (id: string) => ({ source: [REPLAY_SOURCE], 'detail-type': [id] });

/** The EventBridge event pattern of a subscription: events of its kinds, and those that are replayed to it. */
export const ruleOf = ({ id, kinds }: Subscription): { source: string[]; 'detail-type': string[] } => {
  const replays = replaysOf(id);
  return {
    source: [...new Set(kinds.map(sourceOf)), ...replays.source],
    'detail-type': [...kinds, ...replays['detail-type']],
  };
};
