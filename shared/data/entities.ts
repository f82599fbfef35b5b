import type { Entity } from '#contract/route.ts';
import {
  apiKeysPartition,
  auditPrefix,
  batchPartition,
  bookmarksPartition,
  categoriesPartition,
  checkoutKey,
  checkpointKey,
  claimIdKey,
  collectionsPartition,
  currentPromotionsPartition,
  deadLettersPartition,
  deduplicationKey,
  deliveriesPartition,
  draftsPartition,
  eventOutcomesPartition,
  eventPrefix,
  fieldsPartition,
  followsPartition,
  idempotencyKey,
  importKey,
  jobsPartition,
  ledgerPartition,
  mailSuppressionKey,
  mailSuppressionsPartition,
  mentionsPartition,
  openClaimsKey,
  paymentDaysPartition,
  paymentIntentKey,
  projectPartition,
  promotionCountsKey,
  promotionsPartition,
  purchasesPrefix,
  ratePrefix,
  reportIdKey,
  rulesPartition,
  saltsPartition,
  savedRepliesPartition,
  searchesPartition,
  settingsPartition,
  siteDayKey,
  slugKey,
  snapshotPrefix,
  trackedPartition,
  urlKey,
  userCountKey,
  userKey,
  visitorsPartition,
  voteSaltsPartition,
  webhooksPartition,
} from './keys.ts';

/**
 * What only the code around handlers writes. `users:identity`: what a token and the users themselves determine.
 * `api-keys:use`: the day of the last use of a key. `rate-counters`, `idempotency`: of the middleware. `job-runs`: the last
 * run of each job. `event-outcomes`: the results of subscribers.
 */
type DerivedEntity =
  | 'users:identity'
  | 'api-keys:use'
  | 'rate-counters'
  | 'idempotency'
  | 'job-runs'
  | 'event-outcomes';

export type WrittenEntity = Entity | DerivedEntity;

/** The items of an entity, and how they are written. */
interface WriteScope {
  /** Patterns of partition keys, as in IAM conditions. */
  readonly keys: readonly string[];
  /** Set for entities that share their keys with a broader one: the only action, and the only attributes. */
  readonly only?: { readonly action: 'PutItem' | 'UpdateItem'; readonly attributes?: readonly string[] };
}

/** A pattern for all keys with the first part of this one. */
const all = (key: string): string => key.replace(/#.*$/, '#*');

const users = [userKey('*').pk];
/** Events and audit entries come with mentions of the users in them. */
const mentions = mentionsPartition('*');

/** In every expression about a user: the key, the version, and the keys of the feed and of the collection of users. */
const userKeys = ['pk', 'sk', 'type', 'version', 'erased_at', 'feed_pk', 'feed_sk', 'collection_pk', 'collection_sk'];

export const writeScopes: Readonly<Record<WrittenEntity, WriteScope>> = {
  projects: { keys: [projectPartition('*')] },
  slugs: { keys: [slugKey('*').pk, all(urlKey('').pk)] },
  reports: { keys: [reportIdKey('*').pk] },
  categories: { keys: [categoriesPartition] },
  batches: { keys: [batchPartition('*')] },
  imports: { keys: [importKey('*').pk] },
  rules: { keys: [rulesPartition] },
  fields: { keys: [fieldsPartition] },
  'saved-replies': { keys: [savedRepliesPartition] },
  settings: { keys: [settingsPartition] },
  drafts: { keys: [draftsPartition('*')] },
  checkouts: { keys: [checkoutKey('*').pk, `${purchasesPrefix}*`] },
  payments: { keys: [paymentIntentKey('*').pk, ledgerPartition('*'), paymentDaysPartition] },
  promotions: { keys: [promotionsPartition, currentPromotionsPartition] },
  'promotion-counts': { keys: [promotionCountsKey('*').pk] },
  'tracked-events': { keys: [all(trackedPartition('*', '*')), saltsPartition] },
  'vote-salts': { keys: [voteSaltsPartition] },
  visitors: { keys: [all(visitorsPartition('*', '*'))] },
  analytics: { keys: [siteDayKey('*').pk, searchesPartition] },
  events: { keys: [`${eventPrefix}*`, mentions] },
  audit: { keys: [`${auditPrefix}*`, mentions] },
  deduplication: { keys: [all(deduplicationKey('*', '*').pk)] },
  webhooks: { keys: [webhooksPartition] },
  deliveries: { keys: [deliveriesPartition('*')] },
  'dead-letters': { keys: [deadLettersPartition] },
  'mail-suppressions': { keys: [all(mailSuppressionKey('').pk), mailSuppressionsPartition] },
  jobs: { keys: [jobsPartition] },
  checkpoints: { keys: [checkpointKey('*').pk] },
  snapshots: { keys: [`${snapshotPrefix}*`] },
  // Of the items in the feeds of the catalog and of users.
  'feed-stamps': {
    keys: [projectPartition('*'), categoriesPartition, ...users],
    only: { action: 'UpdateItem', attributes: ['pk', 'sk', 'feed_sk'] },
  },
  'api-keys': { keys: [apiKeysPartition] },
  bookmarks: { keys: [bookmarksPartition('*')] },
  follows: { keys: [followsPartition('*')] },
  collections: { keys: [collectionsPartition] },
  claims: { keys: [claimIdKey('*').pk, openClaimsKey('*').pk] },
  'user-count': { keys: [userCountKey.pk] },
  'users:roles': { keys: users, only: { action: 'UpdateItem' } },
  'users:counts': { keys: users, only: { action: 'UpdateItem', attributes: [...userKeys, 'comment_count'] } },
  'users:notifications': { keys: users, only: { action: 'UpdateItem', attributes: [...userKeys, 'notifications'] } },
  // Replaces the whole record. It may keep a ban and has no role.
  'users:erase': {
    keys: users,
    only: { action: 'PutItem', attributes: [...userKeys, 'id', 'projects_deleted', 'comment_count', 'is_banned'] },
  },
  'users:identity': {
    keys: users,
    only: {
      action: 'UpdateItem',
      attributes: [
        ...userKeys,
        'id',
        'email',
        'email_verified',
        'email_issued_at',
        'name',
        'avatar_url',
        'bio',
        'website',
        'joined_at',
        'notifications',
        'comment_count',
      ],
    },
  },
  'api-keys:use': {
    keys: [apiKeysPartition],
    only: { action: 'UpdateItem', attributes: ['pk', 'sk', 'last_used_on'] },
  },
  'api-keys:end': {
    keys: [apiKeysPartition],
    only: { action: 'UpdateItem', attributes: ['pk', 'sk', 'created_by', 'revoked_at'] },
  },
  'rate-counters': { keys: [`${ratePrefix}*`], only: { action: 'UpdateItem' } },
  idempotency: { keys: [idempotencyKey('*').pk] },
  'job-runs': { keys: [jobsPartition], only: { action: 'UpdateItem' } },
  'event-outcomes': { keys: [eventOutcomesPartition('*')] },
};
