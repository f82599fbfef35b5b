import type { EventKind } from '#contract/events.ts';

/** Every kind of event; the type makes the list complete without loading the schemas. */
const kinds: Readonly<Record<EventKind, true>> = {
  projectSubmitted: true,
  projectApproved: true,
  projectRejected: true,
  projectUpdated: true,
  projectDeleted: true,
  revisionSubmitted: true,
  revisionApproved: true,
  revisionRejected: true,
  ruleApplied: true,
  commentCreated: true,
  promotionActivated: true,
  promotionExpired: true,
  promotionRevoked: true,
  paymentSettled: true,
  paymentRefunded: true,
  userBanned: true,
  keyCreated: true,
  keyRevoked: true,
  batchReverted: true,
  webhookDisabled: true,
};

export const eventKinds = Object.keys(kinds) as readonly EventKind[];
