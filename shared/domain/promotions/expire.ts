import { message } from '#domain/messages.ts';
import { revoked } from './administer.ts';
import type { PromotionStore } from './change.ts';
import { factsOf, holdsPlaces, type PromotionRecord, statusAt } from './promotion.ts';

/** What going through the current promotions takes. */
export interface ExpirePorts extends Pick<PromotionStore, 'now' | 'newId' | 'replacePromotion'> {
  /** Every promotion that is pending or active as far as anybody has noted. */
  readonly currentPromotions: () => Promise<readonly PromotionRecord[]>;
}

const isOvertaken = (error: unknown): boolean => error instanceof Error && error.name === 'ConditionFailed';

/** Writes the next state of a promotion unless somebody else was faster. @returns whether it was written. */
const noted = async (write: Promise<void>): Promise<boolean> => {
  try {
    await write;
    return true;
  } catch (error) {
    if (isOvertaken(error)) return false;
    throw error;
  }
};

/**
 * Notes which promotions have come to their end, and tells it: each end once, however often, late or at the same time as
 * itself this runs. What is shown and which places are free does not depend on it.
 * @returns how many were noted now.
 */
export const expirePromotions = async (ports: ExpirePorts): Promise<{ processed: number }> => {
  let processed = 0;
  for (const promotion of await ports.currentPromotions()) {
    if (promotion.status !== 'active' || statusAt(promotion, ports.now()) !== 'expired') continue;
    const next: PromotionRecord = { ...promotion, status: 'expired', version: promotion.version + 1 };
    const messages = [message(ports, 'promotionExpired', null, factsOf(next))];
    // Whoever was faster has noted the end himself, or has moved it.
    if (await noted(ports.replacePromotion(promotion, next, {}, messages))) processed += 1;
  }
  return { processed };
};

const endWithProject = async (ports: ExpirePorts, promotion: PromotionRecord, at: string): Promise<void> => {
  const { next, messages } = revoked(ports, promotion, { actorId: null, reason: 'The project is gone.', at });
  await ports.replacePromotion(promotion, { ...next, version: promotion.version + 1 }, {}, messages);
};

/**
 * Ends the promotions of a project that is gone for good, so that they hold no place that nobody can see. It may run any
 * number of times.
 */
export const endPromotionsOf = async (ports: ExpirePorts, projectId: string): Promise<void> => {
  for (const promotion of await ports.currentPromotions()) {
    const at = ports.now();
    if (promotion.project_id !== projectId || statusAt(promotion, at) === 'expired') continue;
    await endWithProject(ports, promotion, at);
  }
};

/** What looking for promotions of projects that are gone takes. */
export interface OrphanPorts extends ExpirePorts {
  /** Those of some ids under which there is no project any more. */
  readonly missingProjects: (ids: readonly string[]) => Promise<readonly string[]>;
}

/**
 * Ends promotions whose project went for good without anybody being told: while promotions were switched off, nobody was.
 * @returns how many were ended now.
 */
export const endOrphans = async (ports: OrphanPorts): Promise<{ processed: number }> => {
  const at = ports.now();
  const holders = (await ports.currentPromotions()).filter((promotion) => holdsPlaces(promotion, at));
  const gone = await ports.missingProjects([...new Set(holders.map(({ project_id }) => project_id))]);
  let processed = 0;
  for (const promotion of holders.filter(({ project_id }) => gone.includes(project_id))) {
    // Whoever was faster has ended it himself, or has left it to the next run.
    if (await noted(endWithProject(ports, promotion, at))) processed += 1;
  }
  return { processed };
};
