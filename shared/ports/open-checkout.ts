import { dropCheckout, findCheckout, insertCheckout, rememberSession } from '#data/checkouts.ts';
import { mustBeConfigured, openSession } from '#platform/stripe.ts';
import { premiumPrice } from './premium-price.ts';

/** What opening a checkout works with, whatever is bought in it. */
export const openPorts = {
  findCheckout,
  insertCheckout,
  dropCheckout,
  rememberSession,
  mustBeConfigured,
  openSession,
  premiumPrice,
};
