import type { Letter, Letterhead } from './layout.ts';
import { dayOf, greetingTo, projectUrl, reasonFor } from './phrases.ts';

/** A promotion whose time is nearly over. */
export interface EndingPromotion {
  readonly promotion_id: string;
  readonly project_slug: string;
  readonly project_name: string;
  readonly user_id: string;
  readonly ends_at: string;
}

/** The letter for whoever has a promotion that ends soon. */
export const promotionEndingLetter = (
  promotion: EndingPromotion,
  recipient: string | null,
  head: Letterhead,
): Letter => ({
  subject: `The promotion of ${promotion.project_name} ends on ${dayOf(promotion.ends_at)}`,
  greeting: greetingTo(recipient),
  paragraphs: [
    `Your promotion of ${promotion.project_name} runs until ${dayOf(promotion.ends_at)}. After that, your listing stays where it is, without the extra places.`,
    'If it has served you well, you can book another one at any time.',
  ],
  link: { label: `Go to ${promotion.project_name}`, url: projectUrl(head, promotion.project_slug) },
  reason: reasonFor('You get this because you have a promotion that ends soon.'),
});
