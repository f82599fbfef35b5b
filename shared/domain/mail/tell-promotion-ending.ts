import { type EndingPromotion, promotionEndingLetter } from '#shared/mail/promotion-letters.ts';
import { mailOnce, type PostOffice } from './post-office.ts';

/**
 * Mails whoever has a promotion that it ends soon, once per end: a promotion that is extended is told of again.
 * @returns whether the mail was sent now.
 * @throws when it was not accepted; the same call then tries again.
 */
export const tellPromotionEnding = async (office: PostOffice, promotion: EndingPromotion): Promise<boolean> => {
  const user = await office.findUser(promotion.user_id);
  if (!user) return false;
  const occasion = `${promotion.promotion_id} ${promotion.ends_at}`;
  return await mailOnce(office, { user, wish: 'promotion_ending' }, 'mail.promotionEnding', occasion, (name, head) =>
    promotionEndingLetter(promotion, name, head),
  );
};
