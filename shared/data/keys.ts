import { createHash } from 'node:crypto';

/**
 * The grammar of the one table: the only place where a key is spelled. Every builder returns the attributes that place
 * an item; the infrastructure, the single-machine world and the entities take them from here.
 */

/** Where an item lives. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** The shape of the table and its indexes, for whoever creates it. */
export const tableShape = {
  partitionKey: 'pk',
  sortKey: 'sk',
  ttl: 'ttl',
  indexes: [
    /** All cards, counters and categories by time of change: what the catalog follows. */
    { name: 'feed', partitionKey: 'feed_pk', sortKey: 'feed_sk' },
    /** Collections that belong to somebody or something: a user's writings, all users, events of a kind. */
    { name: 'collection', partitionKey: 'collection_pk', sortKey: 'collection_sk' },
  ],
} as const;

export type IndexName = (typeof tableShape.indexes)[number]['name'];

/** What a process begins with that has no catalog yet: which snapshot there is, and its parts. */
export const snapshotPrefix = 'SNAPSHOT';
export const snapshotKey: Key = { pk: snapshotPrefix, sk: 'NEWEST' };
export const snapshotPartKey = (generation: string, part: number): Key => ({
  pk: `${snapshotPrefix}#${generation}#${part}`,
  sk: 'PART',
});

// Projects and what hangs on them share a partition, so one query finds everything that a purge has to take along.
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
export const projectPartition = (projectId: string): string => `PROJECT#${projectId}`;
/** Sort-key prefixes inside a project's partition. */
export const projectPrefix = {
  comments: 'COMMENT#',
  votes: 'VOTE#',
  ratings: 'RATING#',
  reports: 'REPORT#',
  days: 'DAY#',
} as const;

/** A slug belongs to the project that holds this claim, also after the project has taken another one. */
export const slugKey = (slug: string): Key => ({ pk: `SLUG#${slug}`, sk: 'SLUG' });
/**
 * A canonical address belongs to the project that holds this claim; only kept where duplicates are refused. The key is made
 * of a hash of it: written out, an address may be several times as long as DynamoDB lets a key be.
 */
export const urlKey = (canonicalUrl: string): Key => ({
  pk: `URL#${createHash('sha256').update(canonicalUrl).digest('base64url')}`,
  sk: 'URL',
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

/** Events of a month share a partition: the ledger is walked backwards through at most four of them. */
export const eventKey = (occurredAt: string, eventId: string): Key => ({
  pk: `EVENTS#${occurredAt.slice(0, 7)}`,
  sk: eventId,
});
/** What every event's partition key begins with: the filter of the stream. */
export const eventPrefix = 'EVENTS#';

/** The partition of the events of a month, `yyyy-mm`. */
export const eventsPartition = (month: string): string => `${eventPrefix}${month}`;

/** That a subscriber has dealt with an event. */
export const receiptKey = (subscriber: string, eventId: string): Key => ({
  pk: `RECEIPT#${subscriber}#${eventId}`,
  sk: 'RECEIPT',
});

export const checkoutKey = (checkoutId: string): Key => ({ pk: `CHECKOUT#${checkoutId}`, sk: 'CHECKOUT' });
/** What a premium submission said, kept apart because it goes sooner than the checkout. */
export const checkoutDraftKey = (checkoutId: string): Key => ({ pk: `CHECKOUT#${checkoutId}`, sk: 'DRAFT' });
/** Which checkout a payment intent of the provider paid. */
export const paymentIntentKey = (paymentIntent: string): Key => ({ pk: `INTENT#${paymentIntent}`, sk: 'INTENT' });
/** Places a checkout among those that nobody has paid yet, by the time it was opened. */
export const amongOpenCheckouts = (createdAt: string, checkoutId: string) => ({
  collection_pk: openCheckoutsPartition,
  collection_sk: `${createdAt}#${checkoutId}`,
});
export const openCheckoutsPartition = 'CHECKOUTS#OPEN';
/** A line of a user's ledger of payments; lines sort by their ids, which begin with the time. */
export const ledgerKey = (userId: string, entryId: string): Key => ({
  pk: ledgerPartition(userId),
  sk: `${ledgerPrefix}${entryId}`,
});
export const ledgerPartition = (userId: string): string => `PAYMENTS#${userId}`;
export const ledgerPrefix = 'ENTRY#';

/** What a rate counter's partition key begins with: the limit of every function's write permission for counting. */
export const ratePrefix = 'RATE#';
export const rateKey = (tier: string, bucket: string, window: number): Key => ({
  pk: `${ratePrefix}${tier}#${bucket}#${window}`,
  sk: 'RATE',
});

export const feedPartition = 'FEED';

/** Places an item in the feed by the time of its change. */
export const inFeed = (changedAt: string, key: Key) => ({
  feed_pk: feedPartition,
  feed_sk: `${changedAt}#${key.pk}#${key.sk}`,
});

/** Places an item among its owner's. `kind` groups, `order` sorts within. */
export const ofUser = (
  userId: string,
  kind: 'PROJECT' | 'VOTE' | 'RATING' | 'COMMENT' | 'REPORT' | 'CHECKOUT' | 'PROMOTION',
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
  checkouts: 'CHECKOUT#',
} as const;

/** Places a user among all users by the time of joining. */
export const amongUsers = (joinedAt: string, userId: string) => ({
  collection_pk: usersPartition,
  collection_sk: `${joinedAt}#${userId}`,
});
export const usersPartition = 'USERS';
/** Places a user among all users, erased ones too, by the time of his last change: what the list of users follows. */
export const amongChangedUsers = (changedAt: string, userId: string) => ({
  feed_pk: changedUsersPartition,
  feed_sk: `${changedAt}#${userId}`,
});
export const changedUsersPartition = 'USERS';

// There are only a few settings of the site, so they are read together.
export const settingsPartition = 'SETTINGS';
export const settingPrefix = 'SETTING#';
export const settingKey = (name: string): Key => ({ pk: settingsPartition, sk: `${settingPrefix}${name}` });

/** Places an event among those of its kind. */
export const ofEventKind = (kind: string, eventId: string) => ({
  collection_pk: `EVENT_KIND#${kind}`,
  collection_sk: eventId,
});
export const eventKindPartition = (kind: string): string => `EVENT_KIND#${kind}`;

// There are some dozens of webhooks, so they are read together; their deliveries have a partition per webhook.
export const webhooksPartition = 'WEBHOOKS';
export const webhookPrefix = 'WEBHOOK#';
export const webhookKey = (webhookId: string): Key => ({ pk: webhooksPartition, sk: `${webhookPrefix}${webhookId}` });
export const deliveriesPartition = (webhookId: string): string => `WEBHOOK#${webhookId}`;
export const deliveryPrefix = 'DELIVERY#';
export const deliveryKey = (webhookId: string, deliveryId: string): Key => ({
  pk: deliveriesPartition(webhookId),
  sk: `${deliveryPrefix}${deliveryId}`,
});
/** Places a delivery that waits among all that wait, by the time when it is due. Settled ones are in no collection. */
export const amongDue = (dueAt: string, webhookId: string, deliveryId: string) => ({
  collection_pk: duePartition,
  collection_sk: `${dueAt}#${webhookId}#${deliveryId}`,
});
export const duePartition = 'DELIVERIES_DUE';
/** Behind everything that is due at a time or before it. */
export const dueUpTo = (at: string): string => `${at}~`;

// All promotions stand together for those who administer them. What is shown and sold comes from the few current ones.
export const promotionsPartition = 'PROMOTIONS';
export const promotionPrefix = 'PROMOTION#';
export const promotionKey = (promotionId: string): Key => ({
  pk: promotionsPartition,
  sk: `${promotionPrefix}${promotionId}`,
});
export const currentPromotionsPartition = 'PROMOTIONS_CURRENT';
export const currentPromotionKey = (promotionId: string): Key => ({ pk: currentPromotionsPartition, sk: promotionId });
/** How often a place of a placement has been given out: who gives one out does so in turn. */
export const placeKey = (placement: string): Key => ({ pk: promotionsPartition, sk: `PLACE#${placement}` });
export const promotionCountsKey = (promotionId: string): Key => ({
  pk: `PROMOTION_COUNTS#${promotionId}`,
  sk: 'COUNTS',
});
/** What a user's promotions among all that is his begin with. */
export const ownerPromotionsPrefix = 'PROMOTION#';

/** Where a job stopped. */
export const bookmarkKey = (job: string): Key => ({ pk: `JOB#${job}`, sk: 'BOOKMARK' });
/** What is known about the site that a project leads to. */
export const linkKey = (projectId: string): Key => ({ pk: `PROJECT#${projectId}`, sk: 'LINK' });

/** That the sample has been put into a directory on one machine. */
export const seedMarkKey: Key = { pk: 'MARK#SEED', sk: 'MARK' };

/**
 * That an address takes no mail. The key is made of a hash of it, so that it names nobody; letters are not told apart by their
 * case, for no mailbox does.
 */
export const mailStopKey = (address: string): Key => ({
  pk: `MAIL_STOP#${createHash('sha256').update(address.toLowerCase()).digest('base64url')}`,
  sk: 'MAIL_STOP',
});

/** Where nothing stands: what is read to see whether the table answers. */
export const healthKey: Key = { pk: 'HEALTH', sk: 'HEALTH' };

/** A request under an idempotency key and its answer. */
export const idempotencyKey = (name: string): Key => ({ pk: `IDEMPOTENCY#${name}`, sk: 'IDEMPOTENCY' });

/** What waits to be rolled up: of each day some partitions, among which requests are spread. */
export const trackedShards: readonly string[] = ['0', '1', '2', '3'];
export const trackedPartition = (day: string, shard: string): string => `TRACKED#${day}#${shard}`;
export const trackedKey = (day: string, batchId: string): Key => ({
  pk: trackedPartition(day, String(batchId.charCodeAt(batchId.length - 1) % trackedShards.length)),
  sk: batchId,
});
/** What visitors of a day are made unreadable with. A day that has one is open: something of it may wait. */
export const saltsPartition = 'SALTS';
export const saltKey = (day: string): Key => ({ pk: saltsPartition, sk: day });
/** Visitors of a day are spread by the first of their hexadecimal digits. */
export const visitorShards: readonly string[] = [...'0123456789abcdef'];
export const visitorsPartition = (day: string, shard: string): string => `VISITORS#${day}#${shard}`;
export const visitorKey = (day: string, visitor: string): Key => ({
  pk: visitorsPartition(day, visitor.charAt(0)),
  sk: visitor,
});
/** What was counted on a day: of the site together, of a project beside it. The steps of submissions are counted apart. */
export const analyticsPartition = 'ANALYTICS';
export const siteDayPrefix = 'DAY#';
export const siteDayKey = (day: string): Key => ({ pk: analyticsPartition, sk: `${siteDayPrefix}${day}` });
export const projectDayKey = (projectId: string, day: string): Key => ({
  pk: projectPartition(projectId),
  sk: `${projectPrefix.days}${day}`,
});
/** The steps of submissions on the day whose figures stand under a key. */
export const funnelKey = ({ pk, sk }: Key): Key => ({ pk, sk: `${sk}#FUNNEL` });
/** Behind everything of a day whose figures stand under a sort key. */
export const afterDay = (sortKey: string): string => `${sortKey}~`;

/** The audit log: a partition a year, and one for each thing that something was done to. */
export const auditPartition = (year: number): string => `AUDIT#${year}`;
export const auditKey = (year: number, entryId: string): Key => ({ pk: auditPartition(year), sk: entryId });
export const auditSubjectPartition = (subject: string): string => `AUDIT_OF#${subject}`;
export const ofAuditSubject = (subject: string, entryId: string) => ({
  collection_pk: auditSubjectPartition(subject),
  collection_sk: entryId,
});

const SUBJECTS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['project', /^PROJECT#([^ ]+) CARD$/],
  ['comment', /^PROJECT#[^ ]+ COMMENT#(.+)$/],
  ['report', /^PROJECT#[^ ]+ REPORT#(.+)$/],
  ['category', /^CATEGORIES CATEGORY#(.+)$/],
  ['user', /^USER#([^ ]+) USER$/],
  ['setting', /^SETTINGS SETTING#(.+)$/],
  ['webhook', /^WEBHOOKS WEBHOOK#(.+)$/],
  ['promotion', /^PROMOTIONS? PROMOTION#(.+)$/],
  ['promotion', /^PROMOTION#([^ ]+) PROMOTION$/],
];

/** What the audit log calls the thing behind a key, such as `project:prj_…`; undefined for what only serves another. */
export const subjectOf = ({ pk, sk }: Key): string | undefined => {
  for (const [kind, pattern] of SUBJECTS) {
    const id = pattern.exec(`${pk} ${sk}`)?.[1];
    if (id !== undefined) return `${kind}:${id}`;
  }
  return undefined;
};

/** What a user has reported of a project, and the way to it from the report's id. */
export const reportKey = (projectId: string, userId: string): Key => ({
  pk: `PROJECT#${projectId}`,
  sk: `REPORT#${userId}`,
});
export const reportIdKey = (reportId: string): Key => ({ pk: `REPORT#${reportId}`, sk: 'REPORT' });
export const reportsPartition = (status: string): string => `REPORTS#${status}`;

/** Places a report among those of its status by the time of its first words. */
export const ofReportStatus = (status: string, createdAt: string, reportId: string) => ({
  collection_pk: reportsPartition(status),
  collection_sk: `${createdAt}#${reportId}`,
});
