import { createHash } from 'node:crypto';

// The keys of the single table; no other file spells a key. `…Key` builds the primary key of an item, `…Partition` a
// partition key, `…Prefix` a sort-key prefix, and `in…` the attributes that put an item into a partition of an index.

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

const keyAt = (pk: string, sk: string): Key => ({ pk, sk });

/** The schema of the table and its indexes, from which they are created. */
export const tableShape = {
  partitionKey: 'pk',
  sortKey: 'sk',
  ttl: 'ttl',
  indexes: [
    /** Projects, counters and categories by time of change, which the catalog follows; changed users. */
    { name: 'feed', partitionKey: 'feed_pk', sortKey: 'feed_sk' },
    /** Other collections: items by owner, all users, events by kind and so on. */
    { name: 'collection', partitionKey: 'collection_pk', sortKey: 'collection_sk' },
  ],
} as const;

export type IndexName = (typeof tableShape.indexes)[number]['name'];

const inFeedPartition = (partition: string, sortKey: string) => ({ feed_pk: partition, feed_sk: sortKey });
const inCollection = (partition: string, sortKey: string) => ({ collection_pk: partition, collection_sk: sortKey });

// A partition takes 1,000 write units a second. Collections that are written more often are spread over several. The
// first one has the name of the collection alone.
const partitionsOf = (collection: string, count: number): readonly string[] => [
  collection,
  ...Array.from({ length: count - 1 }, (_, index) => `${collection}#${index + 1}`),
];

const onePartition = (partitions: readonly string[], text: string): string =>
  partitions[createHash('sha256').update(text).digest().readUInt32BE() % partitions.length] as string;

/** The newest catalog snapshot, from which cold processes start, and its parts. */
export const snapshotPrefix = 'SNAPSHOT';
export const snapshotKey: Key = { pk: snapshotPrefix, sk: 'NEWEST' };
export const snapshotPartKey = (generation: string, part: number): Key =>
  keyAt(`${snapshotPrefix}#${generation}#${part}`, 'PART');

// A project shares its partition with its dependent items, so that one query finds everything a purge deletes.
export const projectKey = (projectId: string): Key => keyAt(projectPartition(projectId), 'PROJECT');
export const countsKey = (projectId: string): Key => keyAt(projectPartition(projectId), 'COUNTS');
export const projectTombstoneKey = (projectId: string): Key => keyAt(projectPartition(projectId), 'TOMBSTONE');
export const voteKey = (projectId: string, userId: string): Key => keyAt(projectPartition(projectId), `VOTE#${userId}`);
export const ratingKey = (projectId: string, userId: string): Key =>
  keyAt(projectPartition(projectId), `RATING#${userId}`);
export const commentKey = (projectId: string, commentId: string): Key =>
  keyAt(projectPartition(projectId), `COMMENT#${commentId}`);
/** A hidden comment has another key, so that neither its project nor its author lists or counts it. */
export const hiddenCommentKey = (projectId: string, commentId: string): Key =>
  keyAt(projectPartition(projectId), `HIDDEN_COMMENT#${commentId}`);
/** The partitions of all comments, hidden ones too. */
export const commentPartitions = partitionsOf('COMMENTS', 4);
export const commentPartition = (commentId: string): string => onePartition(commentPartitions, commentId);
/** All comments by creation. */
export const inComments = (commentId: string) => inFeedPartition(commentPartition(commentId), commentId);
/** Where a vote comes from, for a week. */
export const voteOriginKey = (projectId: string, userId: string): Key =>
  keyAt(projectPartition(projectId), `${projectPrefix.voteOrigins}${userId}`);
/** The votes of the last week, by time. */
export const recentVotePartitions = partitionsOf('RECENT_VOTES', 4);
export const inRecentVotes = (votedAt: string, projectId: string, userId: string) =>
  inFeedPartition(onePartition(recentVotePartitions, projectId), `${votedAt}#${projectId}#${userId}`);
/** Sorts before all votes after a time. */
export const recentVotesFrom = (at: string): string => `${at}~`;
/** The salt of a day's networks. */
export const voteSaltsPartition = 'VOTE_SALTS';
export const voteSaltKey = (day: string): Key => keyAt(voteSaltsPartition, day);

// A case of votes is in the partition of its project, with its votes, and with the only one that is open.
export const voteCaseKey = (projectId: string, caseId: string): Key =>
  keyAt(projectPartition(projectId), `${projectPrefix.voteCases}${caseId}`);
export const openVoteCaseKey = (projectId: string): Key =>
  keyAt(projectPartition(projectId), projectPrefix.openVoteCase);
export const caseVotePrefix = (caseId: string): string => `${projectPrefix.caseVotes}${caseId}#`;
export const caseVoteKey = (projectId: string, caseId: string, votedAt: string, userId: string): Key =>
  keyAt(projectPartition(projectId), `${caseVotePrefix(caseId)}${votedAt}#${userId}`);
/** All cases by id, which sorts by time, and those of each state. */
export const voteCasesPartition = 'VOTE_CASES';
export const voteCaseStatePartition = (state: string): string => `VOTE_CASES#${state}`;
export const inVoteCases = (state: string, caseId: string) => ({
  ...inFeedPartition(voteCasesPartition, caseId),
  ...inCollection(voteCaseStatePartition(state), caseId),
});
/** The result of checking the URL of a project. */
export const linkKey = (projectId: string): Key => keyAt(projectPartition(projectId), 'LINK');
/** A project that is approved and becomes public later; all of them are sorted by this time. */
export const publicationKey = (projectId: string): Key => keyAt(projectPartition(projectId), 'PUBLICATION');
export const publicationsPartition = 'PUBLICATIONS';
export const inPublications = (publishAt: string, projectId: string) =>
  inCollection(publicationsPartition, `${publishAt}#${projectId}`);
/** A recorded change of a project; revision ids sort by time. */
export const revisionKey = (projectId: string, revisionId: string): Key =>
  keyAt(projectPartition(projectId), `${projectPrefix.revisions}${revisionId}`);
export const projectPartition = (projectId: string): string => `PROJECT#${projectId}`;
/** Sort-key prefixes inside a project's partition. */
export const projectPrefix = {
  comments: 'COMMENT#',
  hiddenComments: 'HIDDEN_COMMENT#',
  votes: 'VOTE#',
  voteOrigins: 'VOTE_ORIGIN#',
  voteCases: 'VOTE_CASE#',
  openVoteCase: 'OPEN_VOTE_CASE',
  caseVotes: 'CASE_VOTE#',
  ratings: 'RATING#',
  reports: 'REPORT#',
  claims: 'CLAIM#',
  days: 'DAY#',
  revisions: 'REVISION#',
} as const;

/** The edits that wait for approval, or that were decided, by state and time. */
export const revisionStatePartition = (state: string): string => `REVISIONS#${state}`;
export const inRevisionState = (state: string, at: string, revisionId: string) =>
  inFeedPartition(revisionStatePartition(state), `${at}#${revisionId}`);

const REVISION_PARTITIONS = 4;
/** The partitions of the revisions by an actor: an import writes many of them. */
export const actorRevisionPartitions = (userId: string): readonly string[] =>
  partitionsOf(`REVISIONS_BY#${userId}`, REVISION_PARTITIONS);
export const inActorRevisions = (userId: string, revisionId: string) =>
  inCollection(onePartition(actorRevisionPartitions(userId), revisionId), revisionId);

/** A user's report of a project, and the lookup of its key by report id. */
export const reportKey = (projectId: string, userId: string): Key =>
  keyAt(projectPartition(projectId), `REPORT#${userId}`);
export const reportIdKey = (reportId: string): Key => keyAt(`REPORT#${reportId}`, 'REPORT');
export const reportsPartition = (status: string): string => `REPORTS#${status}`;

/** The reports of a status by creation. */
export const inReportStatus = (status: string, createdAt: string, reportId: string) =>
  inCollection(reportsPartition(status), `${createdAt}#${reportId}`);

/** A user's claim of a project, and the lookup of its key by id. */
export const claimKey = (projectId: string, claimId: string): Key =>
  keyAt(projectPartition(projectId), `${projectPrefix.claims}${claimId}`);
export const claimIdKey = (claimId: string): Key => keyAt(`CLAIM#${claimId}`, 'CLAIM');
/** All claims by id, which sorts by time. */
export const claimsPartition = 'CLAIMS';
export const inClaims = (claimId: string) => inFeedPartition(claimsPartition, claimId);
/** The claims in a stored state by creation. */
export const claimStatePartition = (state: string): string => `CLAIMS#${state}`;
export const inClaimState = (state: string, createdAt: string, claimId: string) =>
  inFeedPartition(claimStatePartition(state), `${createdAt}#${claimId}`);
/** Sorts after all claims made at or before a time. */
export const claimsUpTo = (at: string): string => `${at}~`;
/** The last claims of a user, by which concurrent ones stay within the limit. */
export const openClaimsKey = (userId: string): Key => keyAt(`OPEN_CLAIMS#${userId}`, 'OPEN_CLAIMS');

/** The claim of a project on a slug, kept after the project changes its slug. */
export const slugKey = (slug: string): Key => keyAt(`SLUG#${slug}`, 'SLUG');
/**
 * The claim of a project on a canonical URL, only written where duplicates are rejected. Hashed, because a URL may
 * exceed the maximum length of a key.
 */
export const urlKey = (canonicalUrl: string): Key =>
  keyAt(`URL#${createHash('sha256').update(canonicalUrl).digest('base64url')}`, 'URL');

/** The slug claims of projects by canonical URL, oldest project first. */
export const urlPartition = (canonicalUrl: string): string => urlKey(canonicalUrl).pk;
export const inUrl = (canonicalUrl: string, createdAt: string, projectId: string) =>
  inCollection(urlPartition(canonicalUrl), `${createdAt}#${projectId}`);

export const categoriesPartition = 'CATEGORIES';
export const categoryKey = (categoryId: string): Key => keyAt(categoriesPartition, `CATEGORY#${categoryId}`);
export const categoryPrefix = 'CATEGORY#';
export const categorySlugKey = (slug: string): Key => keyAt(categoriesPartition, `SLUG#${slug}`);
export const categorySlugPrefix = 'SLUG#';
export const categoryTombstonePrefix = 'TOMBSTONE#';
export const categoryTombstoneKey = (categoryId: string): Key =>
  keyAt(categoriesPartition, `${categoryTombstonePrefix}${categoryId}`);

export const userKey = (userId: string): Key => keyAt(`USER#${userId}`, 'USER');

/** The partition key prefix of all events, by which the stream is filtered. */
export const eventPrefix = 'EVENTS#';
const EVENT_PARTITIONS = 4;
/** The partitions of the events of a month, `yyyy-mm`. The log is read backwards, through at most four months. */
export const eventsPartitions = (month: string): readonly string[] =>
  partitionsOf(`${eventPrefix}${month}`, EVENT_PARTITIONS);
export const eventKey = (occurredAt: string, eventId: string): Key =>
  keyAt(onePartition(eventsPartitions(occurredAt.slice(0, 7)), eventId), eventId);

export const projectEventsPartition = (projectId: string): string => `EVENTS_OF#project:${projectId}`;
export const inProjectEvents = (projectId: string, eventId: string) =>
  inFeedPartition(projectEventsPartition(projectId), eventId);

export const eventOutcomesPartition = (eventId: string): string => `OUTCOMES#${eventId}`;
export const eventOutcomeKey = (eventId: string, subscriber: string): Key =>
  keyAt(eventOutcomesPartition(eventId), subscriber);

export const deduplicationKey = (subscriber: string, eventId: string): Key =>
  keyAt(`DEDUPLICATION#${subscriber}#${eventId}`, 'DEDUPLICATION');

// A user has at most twenty drafts, so they share a partition.
export const draftsPartition = (userId: string): string => `DRAFTS#${userId}`;
export const draftPrefix = 'DRAFT#';
export const draftKey = (userId: string, draftId: string): Key =>
  keyAt(draftsPartition(userId), `${draftPrefix}${draftId}`);
/** Counts the insertions, by which concurrent ones stay within the limit. */
export const draftListKey = (userId: string): Key => keyAt(draftsPartition(userId), 'LIST');

export const checkoutKey = (checkoutId: string): Key => keyAt(`CHECKOUT#${checkoutId}`, 'CHECKOUT');
/** The body of a premium submission, a separate item because it expires before the checkout. */
export const checkoutSubmissionKey = (checkoutId: string): Key => keyAt(`CHECKOUT#${checkoutId}`, 'SUBMISSION');
/** Maps a payment intent of the provider to its checkout. */
export const paymentIntentKey = (paymentIntent: string): Key => keyAt(`INTENT#${paymentIntent}`, 'INTENT');
/** Checkouts with a payment under way, by what they buy. */
export const purchasesPrefix = 'PURCHASES#';
export const purchasesPartition = (subject: string): string =>
  `${purchasesPrefix}${createHash('sha256').update(subject).digest('base64url')}`;
export const purchaseKey = (subject: string, checkoutId: string): Key => keyAt(purchasesPartition(subject), checkoutId);
/** The unpaid checkouts by creation. */
export const inOpenCheckouts = (createdAt: string, checkoutId: string) =>
  inCollection(openCheckoutsPartition, `${createdAt}#${checkoutId}`);
export const openCheckoutsPartition = 'CHECKOUTS#OPEN';
/** An entry of a user's payment ledger; entry ids sort by time. */
export const ledgerKey = (userId: string, entryId: string): Key =>
  keyAt(ledgerPartition(userId), `${ledgerPrefix}${entryId}`);
export const ledgerPartition = (userId: string): string => `PAYMENTS#${userId}`;
export const ledgerPrefix = 'ENTRY#';
/** The checkouts that were paid or whose payment is under way, by state and time of payment or of its begin. */
export const paymentsPartition = (state: string): string => `PAYMENTS_IN#${state}`;
export const inPayments = (state: string, paidAt: string, checkoutId: string) =>
  inFeedPartition(paymentsPartition(state), `${paidAt}#${checkoutId}`);
/** The totals of a day, `yyyy-mm-dd`, in a currency. */
export const paymentDaysPartition = 'PAYMENT_DAYS';
export const paymentDayKey = (day: string, currency: string): Key => keyAt(paymentDaysPartition, `${day}#${currency}`);

/** The partition key prefix of rate counters, to which the write permission for counting is restricted. */
export const ratePrefix = 'RATE#';
export const rateKey = (tier: string, bucket: string, window: number): Key =>
  keyAt(`${ratePrefix}${tier}#${bucket}#${window}`, 'RATE');

/** The partitions of the feed. A stage writes to as many of them, from the first one, as its `feedShards` says. */
export const feedPartitions = partitionsOf('FEED', 8);

/** The feed of the catalog, by time of change (ISO 8601). All items of a project are in the same partition. */
export const inFeed = (changedAt: string, { pk, sk }: Key, shards = 1) =>
  inFeedPartition(onePartition(feedPartitions.slice(0, shards), pk), `${changedAt}#${pk}#${sk}`);

/** The items of an owner by kind, sorted by `order` within it. */
export const inOwnerCollection = (
  userId: string,
  kind: 'PROJECT' | 'VOTE' | 'RATING' | 'COMMENT' | 'HIDDEN_COMMENT' | 'REPORT' | 'CLAIM' | 'CHECKOUT' | 'PROMOTION',
  order: string,
) => inCollection(`OWNER#${userId}`, `${kind}#${order}`);
export const ownerPartition = (userId: string): string => `OWNER#${userId}`;
/** Sort-key prefixes inside an owner's collection. */
export const ownerPrefix = {
  projects: 'PROJECT#',
  votes: 'VOTE#',
  ratings: 'RATING#',
  comments: 'COMMENT#',
  hiddenComments: 'HIDDEN_COMMENT#',
  reports: 'REPORT#',
  claims: 'CLAIM#',
  checkouts: 'CHECKOUT#',
  promotions: 'PROMOTION#',
} as const;

/** The bookmarks of a user, and their number. */
export const bookmarksPartition = (userId: string): string => `BOOKMARKS#${userId}`;
export const bookmarkPrefix = 'BOOKMARK#';
export const bookmarkKey = (userId: string, projectId: string): Key =>
  keyAt(bookmarksPartition(userId), `${bookmarkPrefix}${projectId}`);
export const bookmarkCountKey = (userId: string): Key => keyAt(bookmarksPartition(userId), 'COUNT');

// A user has at most fifty follows, each with the digest of its query in its key, so that equal queries exclude each other.
export const followsPartition = (userId: string): string => `FOLLOWS#${userId}`;
export const followPrefix = 'FOLLOW#';
export const followKey = (userId: string, queryDigest: string): Key =>
  keyAt(followsPartition(userId), `${followPrefix}${queryDigest}`);
/** The number of a user's follows, and which digests the user got. All of them are sorted by user. */
export const followerKey = (userId: string): Key => keyAt(followsPartition(userId), 'FOLLOWER');
export const followersPartition = 'FOLLOWERS';
export const inFollowers = (userId: string) => inCollection(followersPartition, userId);

// There are at most 500 collections, so they share a partition, with the claims of their slugs and their number.
export const collectionsPartition = 'COLLECTIONS';
export const collectionPrefix = 'COLLECTION#';
export const collectionKey = (collectionId: string): Key =>
  keyAt(collectionsPartition, `${collectionPrefix}${collectionId}`);
export const collectionSlugKey = (slug: string): Key => keyAt(collectionsPartition, `SLUG#${slug}`);
export const collectionCountKey: Key = { pk: collectionsPartition, sk: 'COUNT' };

export const inUsers = (joinedAt: string, userId: string) => inCollection(usersPartition, `${joinedAt}#${userId}`);
export const usersPartition = 'USERS';
/** How many users joined up to a place in the collection of users. */
export const userCountKey: Key = { pk: usersPartition, sk: 'COUNT' };
/** All users, erased ones included, by time of change; the admin list of users follows it. */
export const inChangedUsers = (changedAt: string, userId: string) =>
  inFeedPartition(changedUsersPartition, `${changedAt}#${userId}`);
export const changedUsersPartition = 'USERS';

// The site has few settings, so they share a partition and are read together.
export const settingsPartition = 'SETTINGS';
export const settingPrefix = 'SETTING#';
export const settingKey = (name: string): Key => keyAt(settingsPartition, `${settingPrefix}${name}`);

export const eventKindPartitions = (kind: string): readonly string[] =>
  partitionsOf(`EVENT_KIND#${kind}`, EVENT_PARTITIONS);
export const inEventKind = (kind: string, eventId: string) =>
  inCollection(onePartition(eventKindPartitions(kind), eventId), eventId);

// There are dozens of saved replies at most, so they share a partition.
export const savedRepliesPartition = 'SAVED_REPLIES';
export const savedReplyPrefix = 'SAVED_REPLY#';
export const savedReplyKey = (replyId: string): Key => keyAt(savedRepliesPartition, `${savedReplyPrefix}${replyId}`);

// There are dozens of API keys at most, so they share a partition. They are found by the beginning of a key, which is no secret.
export const apiKeysPartition = 'API_KEYS';
export const apiKeyPrefix = 'API_KEY#';
export const apiKeyKey = (prefix: string): Key => keyAt(apiKeysPartition, `${apiKeyPrefix}${prefix}`);

/** A batch and its entries, and all batches by id, which sorts by time. */
export const batchPartition = (batchId: string): string => `BATCH#${batchId}`;
export const batchKey = (batchId: string): Key => keyAt(batchPartition(batchId), 'BATCH');
export const batchEntryPrefix = 'ENTRY#';
export const batchEntryKey = (batchId: string, position: string): Key =>
  keyAt(batchPartition(batchId), `${batchEntryPrefix}${position}`);
export const batchesPartition = 'BATCHES';
export const inBatches = (batchId: string) => inCollection(batchesPartition, batchId);

/** A large import, and all of them by id, which sorts by time. */
export const importKey = (importId: string): Key => keyAt(`IMPORT#${importId}`, 'IMPORT');
export const importsPartition = 'IMPORTS';
export const inImports = (importId: string) => inCollection(importsPartition, importId);

// There are at most a hundred rules, which every submission reads, so they share a partition.
export const rulesPartition = 'RULES';
export const rulePrefix = 'RULE#';
export const ruleKey = (ruleId: string): Key => keyAt(rulesPartition, `${rulePrefix}${ruleId}`);
export const ruleCountKey: Key = { pk: rulesPartition, sk: 'COUNT' };

// There are some dozens of field definitions, which are read together with the version of all of them.
export const fieldsPartition = 'FIELDS';
export const fieldPrefix = 'FIELD#';
export const fieldKey = (fieldId: string): Key => keyAt(fieldsPartition, `${fieldPrefix}${fieldId}`);
export const fieldsVersionKey: Key = { pk: fieldsPartition, sk: 'VERSION' };

// There are dozens of webhooks at most, so they share a partition; their deliveries have a partition per webhook.
export const webhooksPartition = 'WEBHOOKS';
export const webhookPrefix = 'WEBHOOK#';
export const webhookKey = (webhookId: string): Key => keyAt(webhooksPartition, `${webhookPrefix}${webhookId}`);
export const deliveriesPartition = (webhookId: string): string => `WEBHOOK#${webhookId}`;
export const deliveryPrefix = 'DELIVERY#';
export const deliveryKey = (webhookId: string, deliveryId: string): Key =>
  keyAt(deliveriesPartition(webhookId), `${deliveryPrefix}${deliveryId}`);
/** The pending deliveries by due time. Finished ones are in no collection. */
export const inDueDeliveries = (dueAt: string, webhookId: string, deliveryId: string) =>
  inCollection(duePartition, `${dueAt}#${webhookId}#${deliveryId}`);
export const duePartition = 'DELIVERIES_DUE';
/** Sorts after all deliveries or publications due at or before a time. */
export const dueUpTo = (at: string): string => `${at}~`;

// All promotions share a partition for administration. Display and sale read the few current ones.
export const promotionsPartition = 'PROMOTIONS';
export const promotionPrefix = 'PROMOTION#';
export const promotionKey = (promotionId: string): Key =>
  keyAt(promotionsPartition, `${promotionPrefix}${promotionId}`);
export const currentPromotionsPartition = 'PROMOTIONS_CURRENT';
export const currentPromotionKey = (promotionId: string): Key => keyAt(currentPromotionsPartition, promotionId);
/** The promotions that wait for approval, by creation. Only the copies of current promotions are in it. */
export const pendingPromotionsPartition = 'PROMOTIONS_PENDING';
export const inPendingPromotions = (promotionId: string) => inCollection(pendingPromotionsPartition, promotionId);
/** The allocation version of a placement: its slots are allocated one after the other. */
export const placementAllocationKey = (placement: string): Key => keyAt(promotionsPartition, `SLOT#${placement}`);
export const promotionCountsKey = (promotionId: string): Key => keyAt(`PROMOTION_COUNTS#${promotionId}`, 'COUNTS');

/** All dead letters by id, which sorts by time, and their number. */
export const deadLettersPartition = 'DEAD_LETTERS';
export const deadLetterPrefix = 'DEAD_LETTER#';
export const deadLetterKey = (letterId: string): Key => keyAt(deadLettersPartition, `${deadLetterPrefix}${letterId}`);
export const deadLetterCountKey: Key = { pk: deadLettersPartition, sk: 'COUNT' };

// There are a dozen jobs, so they share a partition.
export const jobsPartition = 'JOBS';
export const jobKey = (name: string): Key => keyAt(jobsPartition, `JOB#${name}`);
export const checkpointKey = (job: string): Key => keyAt(`JOB#${job}`, 'CHECKPOINT');
/** Marks a single-machine directory as seeded with sample data. */
export const seedMarkKey: Key = { pk: 'MARK#SEED', sk: 'MARK' };

/**
 * The suppression of mail to an address. Hashed, so that the key holds no personal data; ignores case, as mailboxes do.
 */
export const mailSuppressionKey = (address: string): Key =>
  keyAt(
    `MAIL_SUPPRESSION#${createHash('sha256').update(address.toLowerCase()).digest('base64url')}`,
    'MAIL_SUPPRESSION',
  );

/** The number of suppressed addresses by the month, `yyyy-mm`, in which they are no longer. */
export const mailSuppressionsPartition = 'MAIL_SUPPRESSIONS';
export const mailSuppressionsKey = (month: string): Key => keyAt(mailSuppressionsPartition, month);

/** Never written; read by the health check. */
export const healthKey: Key = { pk: 'HEALTH', sk: 'HEALTH' };

export const idempotencyKey = (name: string): Key => keyAt(`IDEMPOTENCY#${name}`, 'IDEMPOTENCY');

/** Tracked events to be rolled up. Each day has several partitions, over which writes are spread. */
export const trackedShards: readonly string[] = ['0', '1', '2', '3'];
export const trackedPartition = (day: string, shard: string): string => `TRACKED#${day}#${shard}`;
export const trackedKey = (day: string, batchId: string): Key =>
  keyAt(trackedPartition(day, String(batchId.charCodeAt(batchId.length - 1) % trackedShards.length)), batchId);
/** The salt of a day's visitor hashes. It exists while events of the day may still have to be rolled up. */
export const saltsPartition = 'SALTS';
export const saltKey = (day: string): Key => keyAt(saltsPartition, day);
/** The visitors of a day are spread by the first hexadecimal digit of their hash. */
export const visitorShards: readonly string[] = [...'0123456789abcdef'];
export const visitorsPartition = (day: string, shard: string): string => `VISITORS#${day}#${shard}`;
export const visitorKey = (day: string, visitor: string): Key =>
  keyAt(visitorsPartition(day, visitor.charAt(0)), visitor);
/**
 * Daily figures: of the site in one partition, of a project in its partition. The submission funnel is a separate item.
 */
const analyticsPartition = 'ANALYTICS';
const siteDayPrefix = 'DAY#';
export const siteDayKey = (day: string): Key => keyAt(analyticsPartition, `${siteDayPrefix}${day}`);
export const projectDayKey = (projectId: string, day: string): Key =>
  keyAt(projectPartition(projectId), `${projectPrefix.days}${day}`);
/** What visitors searched for on a day. */
export const searchesPartition = 'SEARCHES';
export const searchDayKey = (day: string): Key => keyAt(searchesPartition, day);
export const funnelKey = ({ pk, sk }: Key): Key => ({ pk, sk: `${sk}#FUNNEL` });
/** Sorts after all items of the day whose figures have the given sort key. */
export const afterDay = (sortKey: string): string => `${sortKey}~`;

/** The audit log: a partition per year, and an index partition per subject. */
export const auditPrefix = 'AUDIT#';
export const auditPartition = (year: number): string => `${auditPrefix}${year}`;
export const auditKey = (year: number, entryId: string): Key => keyAt(auditPartition(year), entryId);
export const auditSubjectPartition = (subject: string): string => `AUDIT_OF#${subject}`;
export const inAuditSubject = (subject: string, entryId: string) =>
  inCollection(auditSubjectPartition(subject), entryId);

/** Where a user is named in the event log and the audit log. */
export const mentionsPartition = (userId: string): string => `MENTIONS#${userId}`;
/** @param entryId of the first entry; without its kind, so that all mentions of a user are sorted by time. */
export const mentionKey = (userId: string, entryId: string): Key =>
  keyAt(mentionsPartition(userId), entryId.slice(entryId.indexOf('_') + 1));

const SUBJECTS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['project', /^PROJECT#([^ ]+) PROJECT$/],
  ['comment', /^PROJECT#[^ ]+ (?:HIDDEN_)?COMMENT#(.+)$/],
  ['report', /^PROJECT#[^ ]+ REPORT#(.+)$/],
  ['claim', /^PROJECT#[^ ]+ CLAIM#(.+)$/],
  ['vote-case', /^PROJECT#[^ ]+ VOTE_CASE#(.+)$/],
  ['category', /^CATEGORIES CATEGORY#(.+)$/],
  ['user', /^USER#([^ ]+) USER$/],
  ['setting', /^SETTINGS SETTING#(.+)$/],
  ['letter', /^DEAD_LETTERS DEAD_LETTER#(.+)$/],
  ['job', /^JOBS JOB#(.+)$/],
  ['webhook', /^WEBHOOKS WEBHOOK#(.+)$/],
  ['batch', /^BATCH#([^ ]+) BATCH$/],
  ['import', /^IMPORT#([^ ]+) IMPORT$/],
  ['rule', /^RULES RULE#(.+)$/],
  ['collection', /^COLLECTIONS COLLECTION#(.+)$/],
  ['field', /^FIELDS FIELD#(.+)$/],
  ['promotion', /^PROMOTIONS? PROMOTION#(.+)$/],
  ['promotion', /^PROMOTION#([^ ]+) PROMOTION$/],
];

/** The audit log subject of a key, such as `project:prj_…`; undefined for auxiliary items. */
export const subjectOf = ({ pk, sk }: Key): string | undefined => {
  for (const [kind, pattern] of SUBJECTS) {
    const id = pattern.exec(`${pk} ${sk}`)?.[1];
    if (id !== undefined) return `${kind}:${id}`;
  }
  return undefined;
};
