import * as z from 'zod';
import { type Placement, placementNames } from '#contract/placement.ts';
import { byName, perName } from './per-name.ts';
import { price } from './values.ts';

/** What promotions cost and how many there can be. */
export interface PromotionSettings {
  /** Per month, in the smallest unit of the currency. */
  readonly monthlyPrices: Readonly<Record<Placement, number>>;
  /** How many promotions each placement takes at a time; null for any number. */
  readonly places: Readonly<Record<Placement, number | null>>;
}

const monthlyPrices: Record<Placement, string> = { banner: '6900', catalog: '3900', detail: '1900' };

const places = z
  .string()
  .regex(/^(?:unlimited|\d{1,4})$/, { error: 'must be a number of places or "unlimited"' })
  .transform((value) => (value === 'unlimited' ? null : Number(value)));

/** The variables of promotions. */
export const promotionVariables = {
  ...perName('PROMOTION_PRICE', placementNames, (name) => price.prefault(monthlyPrices[name])),
  ...perName('PROMOTION_SLOTS', placementNames, (name) => places.prefault(name === 'banner' ? '1' : 'unlimited')),
};

/** What they say of promotions. */
export const promotionsOf = (variables: z.output<z.ZodObject<typeof promotionVariables>>): PromotionSettings => ({
  monthlyPrices: byName('PROMOTION_PRICE', placementNames, variables),
  places: byName('PROMOTION_SLOTS', placementNames, variables),
});
