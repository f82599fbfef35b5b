import { categorySlugs } from '#data/category-slugs.ts';
import { checkoutOfIntent, findCheckout, findDraft, openCheckouts, settle } from '#data/checkouts.ts';
import { findProject, isAddressRefused, takenSlugs } from '#data/projects.ts';
import { findUser } from '#data/users.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { askSession, askWhichCheckout } from '#platform/stripe.ts';
import { promotionEndWrites, promotionWrites } from './promotion-sales.ts';

/** What settling checkouts works with, whether the provider tells of them or is asked. */
export const settlePorts = {
  now,
  newId,
  findCheckout,
  findDraft,
  findProject,
  isUserThere: async (userId: string): Promise<boolean> => (await findUser(userId))?.erased_at === null,
  takenSlugs,
  categorySlugs,
  isAddressRefused,
  promotionWrites,
  promotionEndWrites,
  settle,
  checkoutOfIntent,
  askWhichCheckout,
  openCheckouts,
  askSession,
  alarm: (problem: string, facts: Readonly<Record<string, unknown>>): void => {
    count('PaymentMismatch');
    log.error(problem, facts);
  },
  report: (problem: string, facts: Readonly<Record<string, unknown>>): void => log.warn(problem, facts),
};
