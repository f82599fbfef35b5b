import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { settings } from '#platform/settings.ts';
import { askSession, askWhichCheckout, mustBeConfigured, openSession } from '#platform/stripe.ts';
import { existingCategories, standingCategories } from './category-slugs.ts';
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
import { findProject, isAddressRefused, takenSlugs } from './projects.ts';

const premiumPrice = () => {
  const { premiumPrice: amount, currency } = settings().payments;
  return { amount, currency };
};

/** What opening any checkout takes. */
export const openPorts = {
  now,
  newId,
  insertCheckout,
  dropCheckout,
  rememberSession,
  mustBeConfigured,
  openSession,
  premiumPrice,
  existingCategories,
  takenSlugs,
};

/** An oddity that somebody has to look at. */
const alarm = (problem: string, facts: Readonly<Record<string, unknown>>): void => {
  count('PaymentMismatch');
  log.error(problem, facts);
};

/** What settling checkouts takes, but for the promotions. */
const settlePorts = {
  now,
  newId,
  findCheckout,
  findDraft,
  findProject,
  takenSlugs,
  standingCategories,
  isAddressRefused,
  settle,
  alarm,
};
