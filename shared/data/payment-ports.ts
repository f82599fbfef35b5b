import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { settings } from '#platform/settings.ts';
import { askSession, askWhichCheckout, mustBeConfigured, openSession, refund } from '#platform/stripe.ts';
import { categoryIds, categorySlugs } from './category-slugs.ts';
import {
  checkoutOfIntent,
  dropCheckout,
  findCheckout,
  findDraft,
  insertCheckout,
  openCheckouts,
  rememberSession,
  settle,
} from './checkouts.ts';
import { mustBeAvailable, promotionEndWrites, promotionWrites, quotePromotion } from './promotion-sales.ts';
import { findProject, isAddressRefused, takenSlugs } from './projects.ts';

const premiumPrice = () => {
  const { premiumPrice: amount, currency } = settings().payments;
  return { amount, currency };
};

/** What opening a checkout takes. */
const openPorts = {
  now,
  newId,
  findCheckout,
  insertCheckout,
  dropCheckout,
  rememberSession,
  mustBeConfigured,
  openSession,
  premiumPrice,
};

/** What a premium submission takes beyond what a submission takes anyway. */
export const premiumPorts = { ...openPorts, categoryIds };

/** What buying something for a project takes. */
export const buyPorts = {
  ...openPorts,
  findProject,
  promotionsAreOn: () => settings().features.promotions,
  quotePromotion,
  mustBeAvailable,
};

const alarm = (problem: string, facts: Readonly<Record<string, unknown>>): void => {
  count('PaymentMismatch');
  log.error(problem, facts);
};

const settlePorts = {
  now,
  newId,
  findCheckout,
  findDraft,
  findProject,
  takenSlugs,
  categorySlugs,
  isAddressRefused,
  promotionWrites,
  promotionEndWrites,
  settle,
  alarm,
};

/** What hearing from the provider takes. */
export const receivePorts = { ...settlePorts, checkoutOfIntent, askWhichCheckout };

/** What asking the provider about open checkouts takes. */
export const reconcilePorts = {
  ...settlePorts,
  openCheckouts,
  askSession,
  report: (problem: string, facts: Readonly<Record<string, unknown>>): void => log.warn(problem, facts),
};

/** What giving money back takes. */
export const giveBackPorts = { findCheckout, refund };
