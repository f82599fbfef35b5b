import { mustBeConfigured, openSession } from '#platform/stripe.ts';
import { categoryIds } from './category-slugs.ts';
import { dropCheckout, findCheckout, insertCheckout, rememberSession } from './checkouts.ts';
import { premiumPrice } from './premium-price.ts';

/** What a premium submission works with beside what every submission does. */
export const premiumPorts = {
  categoryIds,
  findCheckout,
  insertCheckout,
  dropCheckout,
  rememberSession,
  mustBeConfigured,
  openSession,
  premiumPrice,
};
