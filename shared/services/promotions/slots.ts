import type { Placement } from '#contract/fields.ts';
import { readOccupancy } from '#data/promotions.ts';
import { type AllocationVersions, holdsSlots, type PromotionRecord } from '#model/promotion.ts';
import { settings } from '#platform/settings.ts';
import { conflict } from '#shared/errors.ts';

/** A promotion that needs slots. Slots that the promotion with this id holds already count as free. */
type Applicant = Pick<PromotionRecord, 'placements'> & { readonly id?: string };

/** Looks for a free slot in each placement: the versions to allocate them with, or the placements without one. */
export const findFreeSlots = async (
  { id, placements }: Applicant,
  at: string,
): Promise<{ readonly versions: AllocationVersions } | { readonly full: readonly Placement[] }> => {
  const limits = settings().promotions.slots;
  const limited = placements.filter((placement) => limits[placement] !== null);
  if (limited.length === 0) return { versions: {} };
  const { current, allocationVersions } = await readOccupancy();
  const holders = current.filter((one) => one.id !== id && holdsSlots(one, at));
  const full = limited.filter(
    (placement) => holders.filter((one) => one.placements.includes(placement)).length >= Number(limits[placement]),
  );
  if (full.length > 0) return { full };
  return { versions: Object.fromEntries(limited.map((placement) => [placement, allocationVersions[placement]])) };
};

/** The versions to allocate a slot in each placement with. @throws 409 SOLD_OUT when a placement is full. */
export const getFreeSlots = async (applicant: Applicant, at: string): Promise<AllocationVersions> => {
  const found = await findFreeSlots(applicant, at);
  if ('full' in found) throw conflict('SOLD_OUT', `No slot is free: ${found.full.join(', ')}.`);
  return found.versions;
};
