import { missingProjects } from '#data/projects.ts';
import { settings } from '#platform/settings.ts';
import { endingPorts } from './promotion-mail.ts';
import { expirePromotionsPorts } from './promotions.ts';

/** What ending promotions by the clock works with. */
export const expiryPorts = {
  ...expirePromotionsPorts,
  ...endingPorts,
  missingProjects,
  mails: () => settings().features.email,
};
