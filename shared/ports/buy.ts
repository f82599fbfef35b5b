import { findProject } from '#data/projects.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { settings } from '#platform/settings.ts';
import { openPorts } from './open-checkout.ts';
import { mustBeAvailable, quotePromotion } from './promotion-sales.ts';

/** What buying something for a project works with. */
export const buyPorts = {
  ...openPorts,
  now,
  newId,
  findProject,
  promotionsAreOn: () => settings().features.promotions,
  quotePromotion,
  mustBeAvailable,
};
