import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { settings } from '#platform/settings.ts';
import { mustBeConfigured, openSession } from '#platform/stripe.ts';
import { dropCheckout, findCheckout, insertCheckout, rememberSession } from './checkouts.ts';
import { premiumPrice } from './premium-price.ts';
import { findProject } from './projects.ts';
import { mustBeAvailable, quotePromotion } from './promotion-sales.ts';

/** What buying something for a project works with. */
export const buyPorts = {
  now,
  newId,
  findCheckout,
  insertCheckout,
  dropCheckout,
  rememberSession,
  mustBeConfigured,
  openSession,
  premiumPrice,
  findProject,
  promotionsAreOn: () => settings().features.promotions,
  quotePromotion,
  mustBeAvailable,
};
