import type { UserRecord } from '#domain/users/user.ts';
import { conflict, notFound } from '#shared/errors.ts';
import { changePromotion, type PromotionStore } from './change.ts';
import { holdsPlaces, type PromotionRecord } from './promotion.ts';

/**
 * Changes what the button of one's own promotion says. Like the listing itself it changes at once also while it is shown.
 * @throws 404 for anybody else's; 409 once it is over.
 */
export const changeCallToAction = (
  ports: PromotionStore,
  owner: UserRecord,
  promotionId: string,
  cta_text: string | null,
): Promise<PromotionRecord> =>
  changePromotion(ports, promotionId, (current, at) => {
    if (current.user_id !== owner.id) throw notFound();
    if (!holdsPlaces(current, at)) throw conflict('INVALID_TRANSITION', 'The promotion is over.');
    return current.cta_text === cta_text ? undefined : { next: { ...current, cta_text }, messages: [] };
  });
