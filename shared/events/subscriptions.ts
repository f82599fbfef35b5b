import { eventKindNames } from '#contract/events.ts';
import type { Feature, Permission } from '#contract/route.ts';
import { type MessageKind, REPLAY_SOURCE, sourceOf } from './catalogue.ts';

/**
 * The subscription to bounce and complaint feedback of SES, which publishes it to the default bus of the account, for all
 * stages.
 */
export const mailFeedback = {
  id: 'mail.noteReturn',
  summary: 'Suppresses addresses after permanent bounces and complaints.',
  source: 'aws.ses',
  /** The `detail-type` of each. */
  kinds: { bounce: 'Email Bounced', complaint: 'Email Complaint Received' },
  permissions: ['table:get', 'table:write'],
} as const satisfies { readonly permissions: readonly Permission[] } & Record<string, unknown>;

/**
 * How many days deduplication records are kept. Within this time, an event repeated by a retry or from the archive of the
 * bus is not processed twice.
 */
export const DEDUPLICATION_DAYS = 30;
export const DEDUPLICATION_SECONDS = DEDUPLICATION_DAYS * 86_400;

/** A subscriber of messages. Each has its own function, rule, dead-letter queue and alarm. */
export interface Subscription {
  /** `domain.actionObject`; the handler is `functions/<domain>/<action-object>.ts`. */
  readonly id: string;
  readonly summary: string;
  readonly kinds: readonly MessageKind[];
  /** Skipped while this feature is off. */
  readonly feature?: Feature;
  readonly permissions: readonly Permission[];
  /** The timeout of the function; 30 when absent. */
  readonly timeoutSeconds?: number;
}

/** Keeps the literal types. */
const defineSubscription = <const S extends Subscription>(subscription: S): S => subscription;

export const mailSubmitter = defineSubscription({
  id: 'mail.tellSubmitter',
  summary: 'Mails the submitter when a project or an edit of it is received, approved or rejected.',
  kinds: ['projectSubmitted', 'projectApproved', 'projectRejected', 'revisionApproved', 'revisionRejected'],
  feature: 'email',
  permissions: ['table:get', 'table:write', 'mail'],
});

export const mailBuyer = defineSubscription({
  id: 'mail.tellBuyer',
  summary: 'Mails the buyer when a payment is received.',
  kinds: ['paymentSettled'],
  feature: 'email',
  permissions: ['table:get', 'table:write', 'mail'],
});

export const mailAdmins = defineSubscription({
  id: 'mail.tellAdmins',
  summary: 'Mails the administrators when a webhook was switched off.',
  kinds: ['webhookDisabled'],
  feature: 'email',
  permissions: ['table:get', 'table:collection', 'table:write', 'mail'],
  timeoutSeconds: 120,
});

export const enqueueWebhooks = defineSubscription({
  id: 'webhooks.enqueue',
  summary: 'Creates the webhook deliveries of an event and attempts each immediately.',
  kinds: eventKindNames,
  feature: 'webhooks',
  permissions: ['table:get', 'table:query', 'table:write', 'secrets:open'],
  timeoutSeconds: 60,
});

export const restartDeliveries = defineSubscription({
  id: 'webhooks.restartFailed',
  summary: 'Restarts the failed deliveries of a webhook since a time, on request.',
  kinds: ['webhookReplayDue'],
  permissions: ['table:query', 'table:write'],
  timeoutSeconds: 300,
});

export const finishPurge = defineSubscription({
  id: 'projects.finishPurge',
  summary: 'Deletes the orphaned data of a purged project: votes, ratings, comments and slugs.',
  kinds: ['projectPurged'],
  permissions: ['table:get', 'table:query', 'table:write', 'table:sweep', 'users:counts'],
  timeoutSeconds: 300,
});

export const finishCategoryChange = defineSubscription({
  id: 'categories.finishChange',
  summary: 'Propagates the removal, merging or renaming of a category to its projects, and ends its batch.',
  kinds: ['categoryRemoved', 'categoryMerged', 'categoryRenamed'],
  permissions: ['table:get', 'table:query', 'table:write', 'catalog'],
  timeoutSeconds: 300,
});

export const finishRevert = defineSubscription({
  id: 'batches.finishRevert',
  summary: 'Completes the revert of a batch that a request has begun.',
  kinds: ['revertDue'],
  permissions: ['table:get', 'table:query', 'table:write'],
  timeoutSeconds: 300,
});

export const runImport = defineSubscription({
  id: 'imports.run',
  summary: 'Imports the rows of an uploaded file, and continues in another run when the time is up.',
  kinds: ['importDue'],
  permissions: ['table:get', 'table:query', 'table:write', 'table:sweep', 'catalog', 'uploads:read', 'uploads:delete'],
  timeoutSeconds: 300,
});

export const refundUndeliverable = defineSubscription({
  id: 'payments.giveBack',
  summary: 'Refunds a payment for something that cannot be delivered.',
  kinds: ['refundDue'],
  permissions: ['table:get', 'stripe'],
});

export const finishErasure = defineSubscription({
  id: 'users.finishErasure',
  summary:
    'Deletes the data of an erased user: the account, votes, ratings, unpaid submissions and, on request, projects; removes the user from reports, events and the audit log.',
  kinds: ['userErased'],
  permissions: ['table:get', 'table:query', 'table:collection', 'table:write', 'accounts'],
  timeoutSeconds: 300,
});

export const endPromotionsOfProject = defineSubscription({
  id: 'promotions.endOfProject',
  summary: 'Ends the promotions of a permanently deleted project, which frees their slots.',
  kinds: ['projectDeleted'],
  feature: 'promotions',
  permissions: ['table:query', 'table:write'],
});

export const countSteps = defineSubscription({
  id: 'analytics.countStep',
  summary: 'Counts submissions, their payments and approvals for the funnel.',
  kinds: ['projectSubmitted', 'paymentSettled', 'projectApproved'],
  feature: 'analytics',
  permissions: ['table:get', 'table:write'],
});

export const subscriptions = [
  mailSubmitter,
  mailBuyer,
  mailAdmins,
  enqueueWebhooks,
  restartDeliveries,
  finishPurge,
  finishCategoryChange,
  finishRevert,
  runImport,
  finishErasure,
  refundUndeliverable,
  endPromotionsOfProject,
  countSteps,
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
