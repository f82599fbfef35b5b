import { type Placement, placementNames } from '#contract/placement.ts';
import type { Occupancy, Turns } from '#domain/promotions/places.ts';
import {
  checkoutOfPromotion,
  isCurrent,
  type PromotionCounter,
  type PromotionCounts,
  type PromotionRecord,
} from '#domain/promotions/promotion.ts';
import type { Message } from '#events/catalogue.ts';
import { absent, every, exists, is } from './conditions.ts';
import {
  checkoutKey,
  currentPromotionKey,
  currentPromotionsPartition,
  type Key,
  ofUser,
  ownerPartition,
  ownerPromotionsPrefix,
  placeKey,
  projectKey,
  promotionCountsKey,
  promotionKey,
  promotionPrefix,
  promotionsPartition,
} from './keys.ts';
import { inOutbox } from './outbox.ts';
import { findItem, findItems, type Item, wholeCollection } from './read.ts';
import { transact, updateItem, type Write } from './write.ts';

/**
 * Promotions. All records stand together, in the order of their ids; those that are pending or active as far as anybody
 * has noted have a copy among the current ones, which is all that showing and selling ever read.
 */

const orNull = <T>(value: unknown): T | null => (value === undefined ? null : (value as T));

const promotionOf = (item: Item): PromotionRecord => ({
  id: String(item.id),
  project_id: String(item.project_id),
  user_id: String(item.user_id),
  placements: (item.placements ?? []) as Placement[],
  status: item.status as PromotionRecord['status'],
  starts_at: orNull(item.starts_at),
  ends_at: orNull(item.ends_at),
  months: orNull(item.months),
  cta_text: orNull(item.cta_text),
  price: Number(item.price),
  currency: String(item.currency),
  reason: orNull(item.reason),
  checkout_id: orNull(item.checkout_id),
  created_at: String(item.created_at),
  version: Number(item.version),
});

const promotionItem = (promotion: PromotionRecord): Item & Key => ({
  ...promotionKey(promotion.id),
  ...ofUser(promotion.user_id, 'PROMOTION', promotion.id),
  type: 'promotion',
  ...promotion,
});

const PROMOTION_ID = /^prm_[0-9A-HJKMNP-TV-Z]{26}$/;

/** A promotion; the newest state. */
export const findPromotion = async (promotionId: string): Promise<PromotionRecord | undefined> => {
  if (!PROMOTION_ID.test(promotionId)) return undefined;
  const item = await findItem(promotionKey(promotionId));
  return item && promotionOf(item);
};

/** Whether a checkout is open that a promotion of this id would come of. */
export const isPaymentPending = async (promotionId: string): Promise<boolean> => {
  if (!PROMOTION_ID.test(promotionId)) return false;
  const item = await findItem(checkoutKey(checkoutOfPromotion(promotionId)));
  return item?.kind === 'promotion' && item.status === 'open';
};

/** Every promotion that is pending or active as far as anybody has noted; the newest state. */
export const currentPromotions = async (): Promise<PromotionRecord[]> =>
  (await wholeCollection({ partition: currentPromotionsPartition })).map(promotionOf);

/** All promotions there have ever been, newest first. */
export const allPromotions = async (): Promise<PromotionRecord[]> => {
  const items = await wholeCollection({ partition: promotionsPartition, prefix: promotionPrefix, newestFirst: true });
  return items.map(promotionOf);
};

/** All promotions of a user, newest first. */
export const promotionsOfUser = async (userId: string): Promise<PromotionRecord[]> => {
  const items = await wholeCollection({
    index: 'collection',
    partition: ownerPartition(userId),
    prefix: ownerPromotionsPrefix,
    newestFirst: true,
  });
  return items.map(promotionOf);
};

/** What stands in the places at this moment, and the turns at which a place can be given out. */
export const readOccupancy = async (): Promise<Occupancy> => {
  // The turns first: whoever gives out a place that the second read has missed makes the write that relies on it fail.
  const places = await findItems(placementNames.map(placeKey));
  const turns = Object.fromEntries(placementNames.map((name, nth) => [name, Number(places[nth]?.turn ?? 0)]));
  return { turns: turns as Record<Placement, number>, current: await currentPromotions() };
};

const takePlaces = (turns: Turns): Write[] =>
  Object.entries(turns).map(([placement, turn]) => ({
    put: { ...placeKey(placement), type: 'place', turn: turn + 1 },
    when: turn === 0 ? absent : is('turn', turn),
  }));

const currentCopy = (promotion: PromotionRecord): Write =>
  isCurrent(promotion)
    ? { put: { ...currentPromotionKey(promotion.id), type: 'currentPromotion', ...promotion } }
    : { remove: currentPromotionKey(promotion.id) };

/**
 * The writes of a new promotion. They fail as `ConditionFailed` when it is there already, when a place is not free any
 * more, and when the project has been deleted since it was read: nothing else would ever end a promotion of it.
 */
export const promotionInsertion = (promotion: PromotionRecord, turns: Turns): Write[] => [
  { put: promotionItem(promotion), when: absent },
  { check: projectKey(promotion.project_id), when: every(exists, is('deleted_at', null)) },
  currentCopy(promotion),
  ...takePlaces(turns),
];

/** The writes of a promotion's next state. They fail as `ConditionFailed` when it or a place is not as it was read. */
export const promotionReplacement = (previous: PromotionRecord, next: PromotionRecord, turns: Turns): Write[] => [
  { put: promotionItem(next), when: every(exists, is('version', previous.version)) },
  currentCopy(next),
  ...takePlaces(turns),
];

/** Stores a new promotion. @throws {ConditionFailed} when a place is not free any more, or its project was deleted. */
export const insertPromotion = async (
  promotion: PromotionRecord,
  turns: Turns,
  messages: readonly Message[],
): Promise<void> => {
  await transact([...promotionInsertion(promotion, turns), ...messages.map(inOutbox)]);
};

/** Stores the next state of a promotion. @throws {ConditionFailed} when it or a place is not as it was read any more. */
export const replacePromotion = async (
  previous: PromotionRecord,
  next: PromotionRecord,
  turns: Turns,
  messages: readonly Message[],
): Promise<void> => {
  await transact([...promotionReplacement(previous, next, turns), ...messages.map(inOutbox)]);
};

/** The counters of some promotions, in their order. */
export const readPromotionCounts = async (promotionIds: readonly string[]): Promise<PromotionCounts[]> => {
  const items = await findItems(promotionIds.map(promotionCountsKey));
  return items.map((item) => ({ impressions: Number(item?.impressions ?? 0), clicks: Number(item?.clicks ?? 0) }));
};

/** Counts one more impression or click: one small write, exact however many come at once. */
export const addToPromotion = async (promotionId: string, counter: PromotionCounter): Promise<void> => {
  const set = { type: 'promotionCounts', promotion_id: promotionId };
  await updateItem(promotionCountsKey(promotionId), { set, add: { [counter]: 1 } });
};
