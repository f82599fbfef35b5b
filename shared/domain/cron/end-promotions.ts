import { type EndingPorts, tellEndings } from '#domain/promotions/ending.ts';
import { endOrphans, expirePromotions, type OrphanPorts } from '#domain/promotions/expire.ts';

/** What ending promotions by the clock takes. */
export interface EndPromotionsPorts extends OrphanPorts, EndingPorts {
  /** Whether owners can be told of ends to come. */
  readonly mails: () => boolean;
}

/**
 * Notes the ends of promotions that have come, ends those that have lost their project, and tells of those that come soon.
 * Each is noted and told once.
 */
export const endPromotions = async (ports: EndPromotionsPorts) => {
  const expired = await expirePromotions(ports);
  const orphaned = await endOrphans(ports);
  const { told } = ports.mails() ? await tellEndings(ports) : { told: 0 };
  return { processed: expired.processed + orphaned.processed, told, unfinished: false };
};
