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
  needs: ['table:read', 'table:write', 'mail'],
});

export const finishPurge = subscribe({
  id: 'projects.finishPurge',
  summary: 'Takes away what a purged project left behind: votes, ratings, comments and slugs.',
  kinds: ['projectPurged'],
  needs: ['table:read', 'table:write'],
  timeoutSeconds: 300,
});

export const finishCategoryChange = subscribe({
  id: 'categories.finishChange',
  summary: 'Carries a removed or renamed category over to every project that had it.',
  kinds: ['categoryRemoved', 'categoryRenamed'],
  needs: ['table:read', 'table:write', 'catalog'],
  timeoutSeconds: 300,
});

export const subscriptions = [mailSubmitter, finishPurge, finishCategoryChange] as const;
