import type { Placement } from '#domain/payments/checkout.ts';
import { notFound } from '#shared/errors.ts';
import type { Write } from './write.ts';

/** The sale of promotions, as checkouts see it. None is sold yet, so none is to be found. */

interface Purchase {
  readonly placements: readonly Placement[];
  readonly months: number;
}

/** What promotions cost. @throws 404 */
export const quotePromotion = (_placements: readonly Placement[], _months: number): { amount: number; currency: string } => {
  throw notFound();
};

/** @throws 404 */
export const mustBeAvailable = async (_placements: readonly Placement[]): Promise<void> => {
  throw notFound();
};

/** The writes that activate a promotion: none, so that its buyer is refunded. */
export const promotionWrites = async (_purchase: Purchase): Promise<readonly Write[] | undefined> => undefined;

/** The writes that end the promotion of a checkout: none. */
export const promotionEndWrites = async (_checkoutId: string, _at: string): Promise<readonly Write[]> => [];
