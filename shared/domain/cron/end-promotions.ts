import { type EndingPorts, tellEndings } from '#domain/promotions/ending.ts';
import { type ExpirePorts, expirePromotions } from '#domain/promotions/expire.ts';

/** What ending promotions by the clock takes. */
export interface EndPromotionsPorts extends ExpirePorts, EndingPorts {
  /** Whether owners can be told of ends to come. */
  readonly mails: () => boolean;
}

/** Notes the ends of promotions that have come, and tells of those that come soon. Each is noted and told once. */
export const endPromotions = async (ports: EndPromotionsPorts) => {
  const { processed } = await expirePromotions(ports);
  const { told } = ports.mails() ? await tellEndings(ports) : { told: 0 };
  return { processed, told, unfinished: false };
};
