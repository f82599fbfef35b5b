import {
  apiKeysPartition,
  auditPrefix,
  batchPartition,
  categoriesPartition,
  checkoutKey,
  checkpointKey,
  currentPromotionsPartition,
  deadLettersPartition,
  deduplicationKey,
  deliveriesPartition,
  eventOutcomesPartition,
  eventPrefix,
  idempotencyKey,
  importKey,
  jobsPartition,
  ledgerPartition,
  mailSuppressionKey,
  mailSuppressionsPartition,
  mentionsPartition,
  paymentDaysPartition,
  paymentIntentKey,
  projectPartition,
  promotionCountsKey,
  promotionsPartition,
  reportIdKey,
  rulesPartition,
  saltsPartition,
  savedRepliesPartition,
  settingsPartition,
  siteDayKey,
  slugKey,
  snapshotPrefix,
  trackedPartition,
  urlKey,
  userCountKey,
  visitorsPartition,
  webhooksPartition,
} from '#data/keys.ts';

/**
 * The partition keys that the functions with `table:write` and `table:sweep` may write, as IAM patterns. Users are not
 * among them: see `user-permissions.ts`.
 */

/** A pattern for all keys with the first part of this one. */
const all = (key: string): string => key.replace(/#.*$/, '#*');

/** Events and audit entries come with mentions of the users in them. */
const events = [`${eventPrefix}*`, mentionsPartition('*')];
const audit = [`${auditPrefix}*`, mentionsPartition('*')];
const deduplication = all(deduplicationKey('*', '*').pk);
/** Every subscriber of events records its results. */
const outcomes = eventOutcomesPartition('*');
const idempotency = idempotencyKey('*').pk;
const checkpoints = checkpointKey('*').pk;
const suppressions = [all(mailSuppressionKey('').pk), mailSuppressionsPartition];
const checkouts = checkoutKey('*').pk;
const listings = [projectPartition('*'), slugKey('*').pk, all(urlKey('').pk), reportIdKey('*').pk];
const promotions = [promotionsPartition, currentPromotionsPartition];
const payments = [checkouts, paymentIntentKey('*').pk, ledgerPartition('*'), paymentDaysPartition];
const tracked = [all(trackedPartition('*', '*')), saltsPartition];
const rollUp = [
  ...tracked,
  siteDayKey('*').pk,
  projectPartition('*'),
  promotionCountsKey('*').pk,
  all(visitorsPartition('*', '*')),
];
const batches = batchPartition('*');
const imports = importKey('*').pk;
const deliveries = [webhooksPartition, deliveriesPartition('*'), ...events];

/** By the id of a handler, or by its domain for all other handlers of it. */
const writtenKeys: Readonly<Record<string, readonly string[]>> = {
  'analytics.countStep': [siteDayKey('*').pk, projectPartition('*'), deduplication, outcomes],
  'analytics.track': tracked,
  'batches.finishRevert': [...listings, batches, ...events],
  'batches.revert': [...listings, batches, categoriesPartition, ...events, ...audit],
  categories: [categoriesPartition, projectPartition('*'), batches, ...events, ...audit],
  comments: [projectPartition('*'), ...events],
  'comments.hide': [projectPartition('*'), ...audit],
  'cron.checkLinks': [projectPartition('*'), checkpoints],
  'cron.collectDeadLetters': [deadLettersPartition, deduplication],
  // While analytics is off, this job adds the impressions and clicks of promotions.
  'cron.expirePromotions': [...promotions, ...rollUp, ...events, deduplication],
  'cron.purgeDeleted': [...listings, ...events, checkpoints],
  'cron.reconcileCounters': [projectPartition('*'), categoriesPartition, batches, checkpoints],
  'cron.reconcilePayments': [...payments, ...listings, ...promotions, ...events, ...audit],
  'cron.retryWebhooks': deliveries,
  'cron.rollUpAnalytics': rollUp,
  'cron.snapshotCatalog': [`${snapshotPrefix}*`, userCountKey.pk],
  'cron.weeklyDigest': [deduplication, checkpoints],
  imports: [imports, ...events, ...audit],
  'imports.run': [imports, ...listings, categoriesPartition, batches, ...events],
  'jobs.run': [jobsPartition, ...events, ...audit],
  keys: [apiKeysPartition, ...events, ...audit],
  letters: [deadLettersPartition, ...audit],
  mail: [deduplication, outcomes],
  'mail.noteReturn': suppressions,
  payments: [checkouts, idempotency],
  projects: [...listings, ...events, ...audit],
  'projects.bulk': [...listings, batches, ...events, ...audit],
  'projects.importCsv': [...listings, categoriesPartition, batches, ...events, ...audit],
  'projects.submit': [...listings, checkouts, idempotency, ...events, ...audit],
  promotions: [...promotions, ...events, ...audit],
  'promotions.addClick': tracked,
  'promotions.endOfProject': [...promotions, ...events, outcomes],
  'promotions.addImpression': tracked,
  ratings: [projectPartition('*')],
  replies: [savedRepliesPartition, ...audit],
  rules: [rulesPartition, ...audit],
  reports: [projectPartition('*'), reportIdKey('*').pk, ...audit],
  'reports.settleMany': [...listings, ...events, ...audit],
  revisions: [...listings, ...events, ...audit],
  settings: [settingsPartition, ...audit],
  users: [...events, ...audit],
  'users.erase': [...listings, checkouts, batches, ...suppressions, userCountKey.pk, ...events],
  'users.remove': [...listings, checkouts, batches, ...suppressions, userCountKey.pk, ...events, ...audit],
  // The ledger of events and the audit log lose the id of the user.
  'users.finishErasure': [...listings, checkouts, batches, ...events, ...audit],
  votes: [projectPartition('*')],
  webhooks: [webhooksPartition, ...audit],
  'webhooks.enqueue': [...deliveries, outcomes],
  'webhooks.restartFailed': [deliveriesPartition('*'), ...events, outcomes],
  'webhooks.replayFailed': [...events, ...audit],
  'webhooks.replay': [...deliveries, ...audit],
  'webhooks.stripe': [...payments, ...listings, ...promotions, ...events, ...audit, deduplication],
};

/** The keys that a handler may write. @throws Error for a handler that writes and is not listed. */
export const writtenKeysOf = (handlerId: string): readonly string[] => {
  const keys = writtenKeys[handlerId] ?? writtenKeys[handlerId.split('.')[0] ?? ''];
  if (!keys) throw new Error(`lib/constructs/written-keys.ts does not say which keys ${handlerId} writes.`);
  return [...new Set(keys)];
};
