import { eventKindNames } from '#contract/events.ts';
import type { Feature, Need } from '#contract/route.ts';
import type { MessageKind } from './catalogue.ts';

/** Who is told what happens: each has a function of its own, a rule, a dead-letter queue and an alarm. */
export interface Subscription {
  /** `domain.verbObject`; the door is `functions/<domain>/<verb-object>.ts`. */
  readonly id: string;
  readonly summary: string;
  readonly kinds: readonly MessageKind[];
  /** Skipped while this feature is off. */
  readonly feature?: Feature;
  readonly needs: readonly Need[];
  /** When one run may take longer than the usual 30 seconds. */
  readonly timeoutSeconds?: number;
}

/** States a subscription; the literal types survive. */
const subscribe = <const S extends Subscription>(subscription: S): S => subscription;

export const mailSubmitter = subscribe({
  id: 'mail.tellSubmitter',
  summary: 'Mails the submitter when a project is received, approved or rejected.',
  kinds: ['projectSubmitted', 'projectApproved', 'projectRejected'],
  feature: 'email',
  needs: ['table:get', 'table:write', 'mail'],
});

export const mailBuyer = subscribe({
  id: 'mail.tellBuyer',
  summary: 'Mails whoever paid that the payment has arrived.',
  kinds: ['paymentSettled'],
  feature: 'email',
  needs: ['table:get', 'table:write', 'mail'],
});

export const mailAdmins = subscribe({
  id: 'mail.tellAdmins',
  summary: 'Mails the administrators when a webhook was switched off.',
  kinds: ['webhookDisabled'],
  feature: 'email',
  needs: ['table:get', 'table:collection', 'table:write', 'mail'],
  timeoutSeconds: 120,
});

export const enqueueWebhooks = subscribe({
  id: 'webhooks.enqueue',
  summary: 'Makes deliveries of an event for the webhooks that want it and tries each at once.',
  kinds: eventKindNames,
  feature: 'webhooks',
  needs: ['table:get', 'table:query', 'table:write'],
  timeoutSeconds: 60,
});

export const finishPurge = subscribe({
  id: 'projects.finishPurge',
  summary: 'Takes away what a purged project left behind: votes, ratings, comments and slugs.',
  kinds: ['projectPurged'],
  needs: ['table:get', 'table:query', 'table:write', 'table:sweep'],
  timeoutSeconds: 300,
});

export const finishCategoryChange = subscribe({
  id: 'categories.finishChange',
  summary: 'Carries a removed or renamed category over to every project that had it.',
  kinds: ['categoryRemoved', 'categoryRenamed'],
  needs: ['table:get', 'table:write', 'catalog'],
  timeoutSeconds: 300,
});

export const giveBackPayment = subscribe({
  id: 'payments.giveBack',
  summary: 'Gives back what was paid for something that cannot be delivered.',
  kinds: ['refundDue'],
  needs: ['table:get', 'stripe'],
});

export const finishErasure = subscribe({
  id: 'users.finishErasure',
  summary:
    'Takes away what an erased user left behind: votes, ratings, unpaid submissions and, where he wanted that, his projects.',
  kinds: ['userErased'],
  needs: ['table:get', 'table:collection', 'table:write'],
  timeoutSeconds: 300,
});

export const endPromotionsOfProject = subscribe({
  id: 'promotions.endOfProject',
  summary: 'Ends the promotions of a project that is gone for good, so that their places are free.',
  kinds: ['projectDeleted'],
  feature: 'promotions',
  needs: ['table:query', 'table:write'],
});

export const countSteps = subscribe({
  id: 'analytics.countStep',
  summary: 'Counts submissions, their payments and approvals for the funnel.',
  kinds: ['projectSubmitted', 'paymentSettled', 'projectApproved'],
  feature: 'analytics',
  needs: ['table:get', 'table:write'],
});

export const subscriptions = [
  mailSubmitter,
  mailBuyer,
  mailAdmins,
  enqueueWebhooks,
  finishPurge,
  finishCategoryChange,
  finishErasure,
  giveBackPayment,
  endPromotionsOfProject,
  countSteps,
] as const;
