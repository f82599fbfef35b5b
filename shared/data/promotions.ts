import { type Placement, placementNames } from '#contract/fields.ts';
import type { Message } from '#events/catalogue.ts';
import { type CheckoutRecord, isUnpaid } from '#model/payment.ts';
import {
  type AllocationVersions,
  checkoutOfPromotion,
  isCurrent,
  type Occupancy,
  type PromotionCounts,
  type PromotionRecord,
} from '#model/promotion.ts';
import { openProject } from './counts.ts';
import { inOutbox } from './event-log.ts';
import {
  checkoutKey,
  currentPromotionKey,
  currentPromotionsPartition,
  inOwnerCollection,
  inPendingPromotions,
  type Key,
  ownerPartition,
  ownerPrefix,
  pendingPromotionsPartition,
  placementAllocationKey,
  projectKey,
  promotionCountsKey,
  promotionKey,
  promotionPrefix,
  promotionsPartition,
} from './keys.ts';
import { countCollection, findItems, findRecord, type Item, recordOf, wholeCollection } from './read.ts';
import { absent, every, exists, is, transact, type Write } from './write.ts';

// All promotions are one collection in the order of their ids. Those with the status pending or active have a copy in a
// second, small partition, which is all that the public list and the allocation of slots read.

const promotionItem = (promotion: PromotionRecord): Item & Key => ({
  ...promotionKey(promotion.id),
  ...inOwnerCollection(promotion.user_id, 'PROMOTION', promotion.id),
  type: 'promotion',
  ...promotion,
});

const PROMOTION_ID = /^prm_[0-9A-HJKMNP-TV-Z]{26}$/;

/** A promotion, read consistently; undefined for an id of another form. */
export const findPromotion = async (promotionId: string): Promise<PromotionRecord | undefined> =>
  PROMOTION_ID.test(promotionId) ? await findRecord(promotionKey(promotionId)) : undefined;

/** Whether the checkout that would create the promotion with this id is unpaid. */
export const isPaymentPending = async (promotionId: string): Promise<boolean> => {
  if (!PROMOTION_ID.test(promotionId)) return false;
  const checkout = await findRecord<CheckoutRecord>(checkoutKey(checkoutOfPromotion(promotionId)));
  return checkout?.kind === 'promotion' && isUnpaid(checkout);
};

/** Every promotion whose stored status is pending or active, read consistently. */
export const currentPromotions = async (): Promise<PromotionRecord[]> =>
  (await wholeCollection({ partition: currentPromotionsPartition })).map(recordOf<PromotionRecord>);

/** The number of promotions that wait for approval, from the index, which follows the table within moments. */
export const countPendingPromotions = (): Promise<number> =>
  countCollection(pendingPromotionsPartition, undefined, 'collection');

/** All promotions of any status, newest first. */
export const allPromotions = async (): Promise<PromotionRecord[]> => {
  const items = await wholeCollection({ partition: promotionsPartition, prefix: promotionPrefix, newestFirst: true });
  return items.map(recordOf<PromotionRecord>);
};

/** All promotions of a user, newest first. */
export const promotionsOfUser = async (userId: string): Promise<PromotionRecord[]> => {
  const items = await wholeCollection({
    index: 'collection',
    partition: ownerPartition(userId),
    prefix: ownerPrefix.promotions,
    newestFirst: true,
  });
  return items.map(recordOf<PromotionRecord>);
};

/** The occupied slots, with the versions that an allocation based on them has to carry. */
export const readOccupancy = async (): Promise<Occupancy> => {
  // Versions are read first: an allocation that the second read misses then fails the write that relies on it.
  const items = await findItems(placementNames.map(placementAllocationKey));
  const versions = placementNames.map((name, index) => [name, Number(items[index]?.version ?? 0)]);
  return {
    allocationVersions: Object.fromEntries(versions) as Record<Placement, number>,
    current: await currentPromotions(),
  };
};

const allocateSlots = (versions: AllocationVersions): Write[] =>
  Object.entries(versions).map(([placement, version]) => ({
    put: { ...placementAllocationKey(placement), type: 'placementAllocation', version: version + 1 },
    when: version === 0 ? absent : is('version', version),
  }));

const currentCopy = (promotion: PromotionRecord): Write =>
  isCurrent(promotion)
    ? {
        put: {
          ...currentPromotionKey(promotion.id),
          ...(promotion.status === 'pending' && inPendingPromotions(promotion.id)),
          type: 'currentPromotion',
          ...promotion,
        },
      }
    : { delete: currentPromotionKey(promotion.id) };

/** A check that the project is live: only then it can be promoted. */
const projectIsLive = ({ project_id }: PromotionRecord): Write => ({
  check: projectKey(project_id),
  when: openProject,
});

/**
 * The writes of a new promotion. They fail with `ConditionFailed` when it exists, when a slot was allocated
 * concurrently, and when the project is no longer live; after its deletion, the handler of the deletion would miss the
 * new promotion.
 */
export const promotionInsertion = (promotion: PromotionRecord, versions: AllocationVersions): Write[] => [
  { put: promotionItem(promotion), when: absent },
  projectIsLive(promotion),
  currentCopy(promotion),
  ...allocateSlots(versions),
];

/**
 * The writes of a promotion's next state. They fail with `ConditionFailed` when it or a slot was changed concurrently,
 * and when it will run longer although its project is no longer live.
 * @param versions of the slots that it needs to run longer; undefined when it does not.
 */
export const promotionReplacement = (
  previous: PromotionRecord,
  next: PromotionRecord,
  versions: AllocationVersions | undefined,
): Write[] => [
  ...(versions ? [projectIsLive(next)] : []),
  { put: promotionItem(next), when: every(exists, is('version', previous.version)) },
  currentCopy(next),
  ...allocateSlots(versions ?? {}),
];

/** Stores a new promotion. @throws {ConditionFailed} see `promotionInsertion`. */
export const insertPromotion = async (
  promotion: PromotionRecord,
  versions: AllocationVersions,
  messages: readonly Message[],
): Promise<void> => {
  await transact([...promotionInsertion(promotion, versions), ...messages.map(inOutbox)]);
};

/** Stores the next state of a promotion. @throws {ConditionFailed} see `promotionReplacement`. */
export const replacePromotion = async (
  previous: PromotionRecord,
  next: PromotionRecord,
  versions: AllocationVersions | undefined,
  messages: readonly Message[],
): Promise<void> => {
  await transact([...promotionReplacement(previous, next, versions), ...messages.map(inOutbox)]);
};

/** The counters of promotions, in the order of the ids. */
export const readPromotionCounts = async (promotionIds: readonly string[]): Promise<PromotionCounts[]> => {
  const items = await findItems(promotionIds.map(promotionCountsKey));
  return items.map((item) => ({ impressions: Number(item?.impressions ?? 0), clicks: Number(item?.clicks ?? 0) }));
};

export const addToPromotion = (promotionId: string, counts: PromotionCounts): Write => ({
  update: promotionCountsKey(promotionId),
  change: { set: { type: 'promotionCounts', promotion_id: promotionId }, add: { ...counts } },
});
