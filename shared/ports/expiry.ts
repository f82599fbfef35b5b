import { settings } from '#platform/settings.ts';
import { endingPorts } from './promotion-mail-ports.ts';
import { expirePromotionsPorts } from './promotion-ports.ts';

/** What ending promotions by the clock works with. */
export const expiryPorts = {
  ...expirePromotionsPorts,
  ...endingPorts,
  mails: () => settings().features.email,
};
