import { createHash } from 'node:crypto';

// The keys of the single table; no other file spells a key. `…Key` builds the primary key of an item, `…Partition` a
// partition key, `…Prefix` a sort-key prefix, and `in…` the attributes that put an item into a partition of an index.

/** The primary key of an item. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

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

// A partition takes 1,000 write units a second. Collections that are written more often are spread over several; the first
// has the name of the collection alone, as when it was the only one.
const partitionsOf = (collection: string, count: number): readonly string[] => [
  collection,
  ...Array.from({ length: count - 1 }, (_, index) => `${collection}#${index + 1}`),
];

/** One of some partitions, by a digest of the text. */
const onePartition = (partitions: readonly string[], text: string): string =>
  partitions[createHash('sha256').update(text).digest().readUInt32BE() % partitions.length] as string;

/** The newest catalog snapshot, from which cold processes start, and its parts. */
export const snapshotPrefix = 'SNAPSHOT';
export const snapshotKey: Key = { pk: snapshotPrefix, sk: 'NEWEST' };
export const snapshotPartKey = (generation: string, part: number): Key => ({
  pk: `${snapshotPrefix}#${generation}#${part}`,
  sk: 'PART',
});

// A project shares its partition with its dependent items, so that one query finds everything a purge deletes.
export const projectKey = (projectId: string): Key => ({ pk: `PROJECT#${projectId}`, sk: 'CARD' });
export const countsKey = (projectId: string): Key => ({ pk: `PROJECT#${projectId}`, sk: 'COUNTS' });
export const projectTombstoneKey = (projectId: string): Key => ({ pk: `PROJECT#${projectId}`, sk: 'TOMBSTONE' });
export const voteKey = (projectId: string, userId: string): Key => ({
  pk: `PROJECT#${projectId}`,
  sk: `VOTE#${userId}`,
});
export const ratingKey = (projectId: string, userId: string): Key => ({
  pk: `PROJECT#${projectId}`,
  sk: `RATING#${userId}`,
});
export const commentKey = (projectId: string, commentId: string): Key => ({
  pk: `PROJECT#${projectId}`,
  sk: `COMMENT#${commentId}`,
});
/** A hidden comment has another key, so that neither its project nor its author lists or counts it. */
export const hiddenCommentKey = (projectId: string, commentId: string): Key => ({
  pk: `PROJECT#${projectId}`,
  sk: `HIDDEN_COMMENT#${commentId}`,
});
/** The partitions of all comments, hidden ones too. */
export const commentPartitions = partitionsOf('COMMENTS', 4);
export const commentPartition = (commentId: string): string => onePartition(commentPartitions, commentId);
/** All comments by creation. */
export const inComments = (commentId: string) => ({
  feed_pk: commentPartition(commentId),
  feed_sk: commentId,
});
/** The result of checking the URL of a project. */
export const linkKey = (projectId: string): Key => ({ pk: `PROJECT#${projectId}`, sk: 'LINK' });
/** A recorded change of a project; revision ids sort by time. */
export const revisionKey = (projectId: string, revisionId: string): Key => ({
  pk: `PROJECT#${projectId}`,
  sk: `${projectPrefix.revisions}${revisionId}`,
});
export const projectPartition = (projectId: string): string => `PROJECT#${projectId}`;
/** Sort-key prefixes inside a project's partition. */
export const projectPrefix = {
  comments: 'COMMENT#',
  hiddenComments: 'HIDDEN_COMMENT#',
  votes: 'VOTE#',
  ratings: 'RATING#',
  reports: 'REPORT#',
  days: 'DAY#',
  revisions: 'REVISION#',
} as const;

/** The edits that wait for approval, or that were decided, by state and time. */
export const revisionStatePartition = (state: string): string => `REVISIONS#${state}`;
export const inRevisionState = (state: string, at: string, revisionId: string) => ({
  feed_pk: revisionStatePartition(state),
  feed_sk: `${at}#${revisionId}`,
});

const REVISION_PARTITIONS = 4;
/** The partitions of the revisions by an actor: an import writes many of them. */
export const actorRevisionPartitions = (userId: string): readonly string[] =>
  partitionsOf(`REVISIONS_BY#${userId}`, REVISION_PARTITIONS);
export const inActorRevisions = (userId: string, revisionId: string) => ({
  collection_pk: onePartition(actorRevisionPartitions(userId), revisionId),
  collection_sk: revisionId,
});

/** A user's report of a project, and the lookup of its key by report id. */
export const reportKey = (projectId: string, userId: string): Key => ({
  pk: `PROJECT#${projectId}`,
  sk: `REPORT#${userId}`,
});
export const reportIdKey = (reportId: string): Key => ({ pk: `REPORT#${reportId}`, sk: 'REPORT' });
export const reportsPartition = (status: string): string => `REPORTS#${status}`;

/** The reports of a status by creation. */
export const inReportStatus = (status: string, createdAt: string, reportId: string) => ({
  collection_pk: reportsPartition(status),
  collection_sk: `${createdAt}#${reportId}`,
});

/** The claim of a project on a slug, kept after the project changes its slug. */
export const slugKey = (slug: string): Key => ({ pk: `SLUG#${slug}`, sk: 'SLUG' });
/**
 * The claim of a project on a canonical URL, only written where duplicates are rejected. Hashed, because a URL may
 * exceed the maximum length of a key.
 */
export const urlKey = (canonicalUrl: string): Key => ({
  pk: `URL#${createHash('sha256').update(canonicalUrl).digest('base64url')}`,
  sk: 'URL',
});

/** The slug claims of projects by canonical URL, oldest project first. */
export const urlPartition = (canonicalUrl: string): string => urlKey(canonicalUrl).pk;
export const inUrl = (canonicalUrl: string, createdAt: string, projectId: string) => ({
  collection_pk: urlPartition(canonicalUrl),
  collection_sk: `${createdAt}#${projectId}`,
});

export const categoriesPartition = 'CATEGORIES';
export const categoryKey = (categoryId: string): Key => ({ pk: categoriesPartition, sk: `CATEGORY#${categoryId}` });
export const categoryPrefix = 'CATEGORY#';
export const categorySlugKey = (slug: string): Key => ({ pk: categoriesPartition, sk: `SLUG#${slug}` });
export const categorySlugPrefix = 'SLUG#';
export const categoryTombstoneKey = (categoryId: string): Key => ({
  pk: categoriesPartition,
  sk: `TOMBSTONE#${categoryId}`,
});

export const userKey = (userId: string): Key => ({ pk: `USER#${userId}`, sk: 'USER' });

/** The partition key prefix of all events, by which the stream is filtered. */
export const eventPrefix = 'EVENTS#';
const EVENT_PARTITIONS = 4;
/** The partitions of the events of a month, `yyyy-mm`. The ledger is read backwards through at most four months. */
export const eventsPartitions = (month: string): readonly string[] =>
  partitionsOf(`${eventPrefix}${month}`, EVENT_PARTITIONS);
export const eventKey = (occurredAt: string, eventId: string): Key => ({
  pk: onePartition(eventsPartitions(occurredAt.slice(0, 7)), eventId),
  sk: eventId,
});
/** The key of an event that was written when a month had one partition. */
export const earlierEventKey = (month: string, eventId: string): Key => ({ pk: `${eventPrefix}${month}`, sk: eventId });

/** The events about a project. */
export const projectEventsPartition = (projectId: string): string => `EVENTS_OF#project:${projectId}`;
export const inProjectEvents = (projectId: string, eventId: string) => ({
  feed_pk: projectEventsPartition(projectId),
  feed_sk: eventId,
});

/** The results of the subscribers of an event. */
export const eventOutcomesPartition = (eventId: string): string => `OUTCOMES#${eventId}`;
export const eventOutcomeKey = (eventId: string, subscriber: string): Key => ({
  pk: eventOutcomesPartition(eventId),
  sk: subscriber,
});

/** The deduplication record of a subscriber and an event. */
export const deduplicationKey = (subscriber: string, eventId: string): Key => ({
  pk: `RECEIPT#${subscriber}#${eventId}`,
  sk: 'RECEIPT',
});

export const checkoutKey = (checkoutId: string): Key => ({ pk: `CHECKOUT#${checkoutId}`, sk: 'CHECKOUT' });
/** The body of a premium submission, a separate item because it expires before the checkout. */
export const checkoutDraftKey = (checkoutId: string): Key => ({ pk: `CHECKOUT#${checkoutId}`, sk: 'DRAFT' });
/** Maps a payment intent of the provider to its checkout. */
export const paymentIntentKey = (paymentIntent: string): Key => ({ pk: `INTENT#${paymentIntent}`, sk: 'INTENT' });
/** The unpaid checkouts by creation. */
export const inOpenCheckouts = (createdAt: string, checkoutId: string) => ({
  collection_pk: openCheckoutsPartition,
  collection_sk: `${createdAt}#${checkoutId}`,
});
export const openCheckoutsPartition = 'CHECKOUTS#OPEN';
/** An entry of a user's payment ledger; entry ids sort by time. */
export const ledgerKey = (userId: string, entryId: string): Key => ({
  pk: ledgerPartition(userId),
  sk: `${ledgerPrefix}${entryId}`,
});
export const ledgerPartition = (userId: string): string => `PAYMENTS#${userId}`;
export const ledgerPrefix = 'ENTRY#';
/** The checkouts that were paid, by state and time of payment. */
export const paymentsPartition = (state: string): string => `PAYMENTS_IN#${state}`;
export const inPayments = (state: string, paidAt: string, checkoutId: string) => ({
  feed_pk: paymentsPartition(state),
  feed_sk: `${paidAt}#${checkoutId}`,
});
/** The totals of a day, `yyyy-mm-dd`, in a currency. */
export const paymentDaysPartition = 'PAYMENT_DAYS';
export const paymentDayKey = (day: string, currency: string): Key => ({
  pk: paymentDaysPartition,
  sk: `${day}#${currency}`,
});

/** The partition key prefix of rate counters, to which the write permission for counting is restricted. */
export const ratePrefix = 'RATE#';
export const rateKey = (tier: string, bucket: string, window: number): Key => ({
  pk: `${ratePrefix}${tier}#${bucket}#${window}`,
  sk: 'RATE',
});

/** The partitions of the feed. A stage writes to as many of them, from the first one, as its `feedShards` says. */
export const feedPartitions = partitionsOf('FEED', 8);

/** The feed of the catalog, by time of change (ISO 8601). All items of a project are in the same partition. */
export const inFeed = (changedAt: string, { pk, sk }: Key, shards = 1) => ({
  feed_pk: onePartition(feedPartitions.slice(0, shards), pk),
  feed_sk: `${changedAt}#${pk}#${sk}`,
});

/** The items of an owner by kind, sorted by `order` within it. */
export const inOwnerCollection = (
  userId: string,
  kind: 'PROJECT' | 'VOTE' | 'RATING' | 'COMMENT' | 'HIDDEN_COMMENT' | 'REPORT' | 'CHECKOUT' | 'PROMOTION',
  order: string,
) => ({
  collection_pk: `OWNER#${userId}`,
  collection_sk: `${kind}#${order}`,
});
export const ownerPartition = (userId: string): string => `OWNER#${userId}`;
/** Sort-key prefixes inside an owner's collection. */
export const ownerPrefix = {
  projects: 'PROJECT#',
  votes: 'VOTE#',
  ratings: 'RATING#',
  comments: 'COMMENT#',
  hiddenComments: 'HIDDEN_COMMENT#',
  reports: 'REPORT#',
  checkouts: 'CHECKOUT#',
} as const;

/** All users by time of joining. */
export const inUsers = (joinedAt: string, userId: string) => ({
  collection_pk: usersPartition,
  collection_sk: `${joinedAt}#${userId}`,
});
export const usersPartition = 'USERS';
/** How many users joined up to a place in the collection of users. */
export const userCountKey: Key = { pk: usersPartition, sk: 'COUNT' };
/** All users, erased ones included, by time of change; the admin list of users follows it. */
export const inChangedUsers = (changedAt: string, userId: string) => ({
  feed_pk: changedUsersPartition,
  feed_sk: `${changedAt}#${userId}`,
});
export const changedUsersPartition = 'USERS';

// The site has few settings, so they share a partition and are read together.
export const settingsPartition = 'SETTINGS';
export const settingPrefix = 'SETTING#';
export const settingKey = (name: string): Key => ({ pk: settingsPartition, sk: `${settingPrefix}${name}` });

/** The partitions of the events of a kind. */
export const eventKindPartitions = (kind: string): readonly string[] =>
  partitionsOf(`EVENT_KIND#${kind}`, EVENT_PARTITIONS);
export const inEventKind = (kind: string, eventId: string) => ({
  collection_pk: onePartition(eventKindPartitions(kind), eventId),
  collection_sk: eventId,
});

// There are dozens of saved replies at most, so they share a partition.
export const savedRepliesPartition = 'REPLIES';
export const savedReplyPrefix = 'REPLY#';
export const savedReplyKey = (replyId: string): Key => ({
  pk: savedRepliesPartition,
  sk: `${savedReplyPrefix}${replyId}`,
});

// There are dozens of API keys at most, so they share a partition. They are found by the beginning of a key, which is no secret.
export const apiKeysPartition = 'KEYS';
export const apiKeyPrefix = 'KEY#';
export const apiKeyKey = (prefix: string): Key => ({ pk: apiKeysPartition, sk: `${apiKeyPrefix}${prefix}` });

/** A batch and its entries, and all batches by id, which sorts by time. */
export const batchPartition = (batchId: string): string => `BATCH#${batchId}`;
export const batchKey = (batchId: string): Key => ({ pk: batchPartition(batchId), sk: 'BATCH' });
export const batchEntryPrefix = 'ENTRY#';
export const batchEntryKey = (batchId: string, position: string): Key => ({
  pk: batchPartition(batchId),
  sk: `${batchEntryPrefix}${position}`,
});
export const batchesPartition = 'BATCHES';
export const inBatches = (batchId: string) => ({ collection_pk: batchesPartition, collection_sk: batchId });

/** A large import, and all of them by id, which sorts by time. */
export const importKey = (importId: string): Key => ({ pk: `IMPORT#${importId}`, sk: 'IMPORT' });
export const importsPartition = 'IMPORTS';
export const inImports = (importId: string) => ({ collection_pk: importsPartition, collection_sk: importId });

// There are at most a hundred rules, which every submission reads, so they share a partition.
export const rulesPartition = 'RULES';
export const rulePrefix = 'RULE#';
export const ruleKey = (ruleId: string): Key => ({ pk: rulesPartition, sk: `${rulePrefix}${ruleId}` });
export const ruleCountKey: Key = { pk: rulesPartition, sk: 'COUNT' };

// There are dozens of webhooks at most, so they share a partition; their deliveries have a partition per webhook.
export const webhooksPartition = 'WEBHOOKS';
export const webhookPrefix = 'WEBHOOK#';
export const webhookKey = (webhookId: string): Key => ({ pk: webhooksPartition, sk: `${webhookPrefix}${webhookId}` });
export const deliveriesPartition = (webhookId: string): string => `WEBHOOK#${webhookId}`;
export const deliveryPrefix = 'DELIVERY#';
export const deliveryKey = (webhookId: string, deliveryId: string): Key => ({
  pk: deliveriesPartition(webhookId),
  sk: `${deliveryPrefix}${deliveryId}`,
});
/** The pending deliveries by due time. Finished ones are in no collection. */
export const inDueDeliveries = (dueAt: string, webhookId: string, deliveryId: string) => ({
  collection_pk: duePartition,
  collection_sk: `${dueAt}#${webhookId}#${deliveryId}`,
});
export const duePartition = 'DELIVERIES_DUE';
/** Sorts after all deliveries due at or before a time. */
export const dueUpTo = (at: string): string => `${at}~`;

// All promotions share a partition for administration. Display and sale read the few current ones.
export const promotionsPartition = 'PROMOTIONS';
export const promotionPrefix = 'PROMOTION#';
export const promotionKey = (promotionId: string): Key => ({
  pk: promotionsPartition,
  sk: `${promotionPrefix}${promotionId}`,
});
export const currentPromotionsPartition = 'PROMOTIONS_CURRENT';
export const currentPromotionKey = (promotionId: string): Key => ({ pk: currentPromotionsPartition, sk: promotionId });
/** The promotions that wait for approval, by creation. Only the copies of current promotions are in it. */
export const waitingPromotionsPartition = 'PROMOTIONS_WAITING';
export const inWaitingPromotions = (promotionId: string) => ({
  collection_pk: waitingPromotionsPartition,
  collection_sk: promotionId,
});
/** The allocation version of a placement: its slots are allocated one after the other. */
export const placementAllocationKey = (placement: string): Key => ({
  pk: promotionsPartition,
  sk: `PLACE#${placement}`,
});
export const promotionCountsKey = (promotionId: string): Key => ({
  pk: `PROMOTION_COUNTS#${promotionId}`,
  sk: 'COUNTS',
});
/** The sort key prefix of promotions among the items of an owner. */
export const ownerPromotionsPrefix = 'PROMOTION#';

/** All dead letters by id, which sorts by time, and their number. */
export const deadLettersPartition = 'DEAD_LETTERS';
export const deadLetterPrefix = 'LETTER#';
export const deadLetterKey = (letterId: string): Key => ({
  pk: deadLettersPartition,
  sk: `${deadLetterPrefix}${letterId}`,
});
export const deadLetterCountKey: Key = { pk: deadLettersPartition, sk: 'COUNT' };

// There are a dozen jobs, so they share a partition.
export const jobsPartition = 'JOBS';
export const jobKey = (name: string): Key => ({ pk: jobsPartition, sk: `JOB#${name}` });
export const checkpointKey = (job: string): Key => ({ pk: `JOB#${job}`, sk: 'BOOKMARK' });
/** Marks a single-machine directory as seeded with sample data. */
export const seedMarkKey: Key = { pk: 'MARK#SEED', sk: 'MARK' };

/**
 * The suppression of mail to an address. Hashed, so that the key holds no personal data; ignores case, as mailboxes do.
 */
export const mailSuppressionKey = (address: string): Key => ({
  pk: `MAIL_STOP#${createHash('sha256').update(address.toLowerCase()).digest('base64url')}`,
  sk: 'MAIL_STOP',
});

/** The number of suppressed addresses by the month, `yyyy-mm`, in which they are no longer. */
export const mailSuppressionsPartition = 'MAIL_STOPS';
export const mailSuppressionsKey = (month: string): Key => ({ pk: mailSuppressionsPartition, sk: month });

/** Never written; read by the health check. */
export const healthKey: Key = { pk: 'HEALTH', sk: 'HEALTH' };

/** A request with an idempotency key, and its response. */
export const idempotencyKey = (name: string): Key => ({ pk: `IDEMPOTENCY#${name}`, sk: 'IDEMPOTENCY' });

/** Tracked events to be rolled up. Each day has several partitions, over which writes are spread. */
export const trackedShards: readonly string[] = ['0', '1', '2', '3'];
export const trackedPartition = (day: string, shard: string): string => `TRACKED#${day}#${shard}`;
export const trackedKey = (day: string, batchId: string): Key => ({
  pk: trackedPartition(day, String(batchId.charCodeAt(batchId.length - 1) % trackedShards.length)),
  sk: batchId,
});
/** The salt of a day's visitor hashes. It exists while events of the day may still have to be rolled up. */
export const saltsPartition = 'SALTS';
export const saltKey = (day: string): Key => ({ pk: saltsPartition, sk: day });
/** The visitors of a day are spread by the first hexadecimal digit of their hash. */
export const visitorShards: readonly string[] = [...'0123456789abcdef'];
export const visitorsPartition = (day: string, shard: string): string => `VISITORS#${day}#${shard}`;
export const visitorKey = (day: string, visitor: string): Key => ({
  pk: visitorsPartition(day, visitor.charAt(0)),
  sk: visitor,
});
/**
 * Daily figures: of the site in one partition, of a project in its partition. The submission funnel is a separate item.
 */
const analyticsPartition = 'ANALYTICS';
const siteDayPrefix = 'DAY#';
export const siteDayKey = (day: string): Key => ({ pk: analyticsPartition, sk: `${siteDayPrefix}${day}` });
export const projectDayKey = (projectId: string, day: string): Key => ({
  pk: projectPartition(projectId),
  sk: `${projectPrefix.days}${day}`,
});
/** The submission funnel of the day whose figures have the given key. */
export const funnelKey = ({ pk, sk }: Key): Key => ({ pk, sk: `${sk}#FUNNEL` });
/** Sorts after all items of the day whose figures have the given sort key. */
export const afterDay = (sortKey: string): string => `${sortKey}~`;

/** The audit log: a partition per year, and an index partition per subject. */
export const auditPrefix = 'AUDIT#';
export const auditPartition = (year: number): string => `${auditPrefix}${year}`;
export const auditKey = (year: number, entryId: string): Key => ({ pk: auditPartition(year), sk: entryId });
export const auditSubjectPartition = (subject: string): string => `AUDIT_OF#${subject}`;
export const inAuditSubject = (subject: string, entryId: string) => ({
  collection_pk: auditSubjectPartition(subject),
  collection_sk: entryId,
});

/** Where a user is named in the event ledger and the audit log. */
export const mentionsPartition = (userId: string): string => `MENTIONS#${userId}`;
/** @param entryId of the first entry; without its kind, so that all mentions of a user are sorted by time. */
export const mentionKey = (userId: string, entryId: string): Key => ({
  pk: mentionsPartition(userId),
  sk: entryId.slice(entryId.indexOf('_') + 1),
});

const SUBJECTS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['project', /^PROJECT#([^ ]+) CARD$/],
  ['comment', /^PROJECT#[^ ]+ (?:HIDDEN_)?COMMENT#(.+)$/],
  ['report', /^PROJECT#[^ ]+ REPORT#(.+)$/],
  ['category', /^CATEGORIES CATEGORY#(.+)$/],
  ['user', /^USER#([^ ]+) USER$/],
  ['setting', /^SETTINGS SETTING#(.+)$/],
  ['key', /^KEYS KEY#(.+)$/],
  ['letter', /^DEAD_LETTERS LETTER#(.+)$/],
  ['job', /^JOBS JOB#(.+)$/],
  ['webhook', /^WEBHOOKS WEBHOOK#(.+)$/],
  ['batch', /^BATCH#([^ ]+) BATCH$/],
  ['import', /^IMPORT#([^ ]+) IMPORT$/],
  ['rule', /^RULES RULE#(.+)$/],
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
