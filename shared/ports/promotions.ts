import { findProject } from '#data/projects.ts';
import {
  addToPromotion,
  currentPromotions,
  findPromotion,
  insertPromotion,
  isPaymentPending,
  readOccupancy,
  replacePromotion,
} from '#data/promotions.ts';
import { isBot } from '#platform/bots.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { settings } from '#platform/settings.ts';

const workshop = { now, newId };

/** What knowing about free places takes. */
export const placePorts = { placeLimits: () => settings().promotions.places, readOccupancy };

/** What changing one's own promotion takes. */
export const ownPromotionPorts = { ...workshop, ...placePorts, findPromotion, replacePromotion };

/** What deciding on promotions takes. */
export const administerPromotionPorts = { ...ownPromotionPorts, findProject, isPaymentPending };

/** What granting promotions takes. */
export const grantPorts = {
  ...workshop,
  ...placePorts,
  findProject,
  insertPromotion,
  currency: () => settings().payments.currency,
};

/** What counting impressions and clicks takes. */
export const countPorts = { now, findPromotion, findProject, isBot, addToPromotion };

/** What ending promotions by themselves takes. */
export const expirePromotionsPorts = { ...workshop, currentPromotions, replacePromotion };
