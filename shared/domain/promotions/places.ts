import type { Placement } from '#contract/placement.ts';
import { conflict } from '#shared/errors.ts';
import { holdsPlaces, type PromotionRecord } from './promotion.ts';

/** How many promotions each placement takes at a time; null for any number. */
export type PlaceLimits = Readonly<Record<Placement, number | null>>;

/** What stood in the places at one moment. */
export interface Occupancy {
  /** Every promotion that is pending or active as far as anybody has noted. */
  readonly current: readonly PromotionRecord[];
  /** How often a place of each placement has been given out, read before `current` was. */
  readonly turns: Readonly<Record<Placement, number>>;
}

/**
 * The right to give out places: the placements that are limited, with the turn at which a place was seen to be free.
 * Writing on it fails when somebody has given out a place of them since.
 */
export type Turns = Readonly<Partial<Record<Placement, number>>>;

/** What giving out places takes. */
export interface PlacePorts {
  readonly placeLimits: () => PlaceLimits;
  readonly readOccupancy: () => Promise<Occupancy>;
}

/** Those of some placements in which nothing is free at a moment, looking past one promotion that may hold a place. */
const fullPlacements = (
  limits: PlaceLimits,
  { current }: Pick<Occupancy, 'current'>,
  placements: readonly Placement[],
  at: string,
  exceptId?: string,
): Placement[] => {
  const holders = current.filter((one) => one.id !== exceptId && holdsPlaces(one, at));
  return placements.filter((placement) => {
    const limit = limits[placement];
    return limit !== null && holders.filter((one) => one.placements.includes(placement)).length >= limit;
  });
};

/** The turns at which places for a promotion are free, or the placements that are full. */
export const findTurns = async (
  ports: PlacePorts,
  promotion: Pick<PromotionRecord, 'placements'> & { readonly id?: string },
  at: string,
): Promise<{ readonly turns: Turns } | { readonly full: readonly Placement[] }> => {
  const limits = ports.placeLimits();
  const limited = promotion.placements.filter((placement) => limits[placement] !== null);
  if (limited.length === 0) return { turns: {} };
  const occupancy = await ports.readOccupancy();
  const full = fullPlacements(limits, occupancy, limited, at, promotion.id);
  if (full.length > 0) return { full };
  return { turns: Object.fromEntries(limited.map((placement) => [placement, occupancy.turns[placement]])) };
};

/** The turns at which places for a promotion are free. @throws 409 SOLD_OUT when there are none. */
export const getTurns = async (
  ports: PlacePorts,
  promotion: Parameters<typeof findTurns>[1],
  at: string,
): Promise<Turns> => {
  const found = await findTurns(ports, promotion, at);
  if ('full' in found) throw conflict('SOLD_OUT', `No place is free: ${found.full.join(', ')}.`);
  return found.turns;
};
