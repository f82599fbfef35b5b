import type { Workshop } from '#domain/messages.ts';
import { retried } from '#domain/retried.ts';
import type { Message } from '#events/catalogue.ts';
import { notFound } from '#shared/errors.ts';
import { getTurns, type PlacePorts, type Turns } from './places.ts';
import type { PromotionRecord } from './promotion.ts';

/** What changing a stored promotion takes. */
export interface PromotionStore extends PlacePorts, Workshop {
  readonly findPromotion: (promotionId: string) => Promise<PromotionRecord | undefined>;
  /** @throws an error named `ConditionFailed` when the promotion or a place is not as it was read any more. */
  readonly replacePromotion: (
    previous: PromotionRecord,
    next: PromotionRecord,
    turns: Turns,
    messages: readonly Message[],
  ) => Promise<void>;
}

/** What becomes of a promotion, and what is told about it. */
export interface Decision {
  readonly next: PromotionRecord;
  readonly messages: readonly Message[];
  /** Whether it runs longer than it was going to, so that its places have to be free. */
  readonly takesPlaces?: boolean;
}

/**
 * Reads a promotion, lets `decide` say what becomes of it, and writes that, with its places if it takes any. When somebody
 * else was faster it decides anew on what he left. Where `decide` says nothing, nothing is written.
 * @returns the promotion as it is then. @throws 404, 409 SOLD_OUT, and whatever `decide` throws.
 */
export const changePromotion = (
  store: PromotionStore,
  promotionId: string,
  decide: (current: PromotionRecord, at: string) => Decision | undefined | Promise<Decision | undefined>,
): Promise<PromotionRecord> =>
  retried('ConditionFailed', async () => {
    const previous = await store.findPromotion(promotionId);
    if (!previous) throw notFound();
    const at = store.now();
    const decision = await decide(previous, at);
    if (!decision) return previous;
    const next = { ...decision.next, version: previous.version + 1 };
    const turns = decision.takesPlaces ? await getTurns(store, next, at) : {};
    await store.replacePromotion(previous, next, turns, decision.messages);
    return next;
  });
