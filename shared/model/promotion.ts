import type { LoggedEvent } from '#contract/events.ts';
import type { Placement } from '#contract/fields.ts';
import type { Promotion, PromotionStatus } from '#contract/promotions.ts';
import { DAY_MS } from './days.ts';

/** The stored status. Whether an active promotion has expired follows from its dates: see `statusAt`. */
export type RecordedStatus = Exclude<PromotionStatus, 'pending_payment'>;

/** A promotion as stored, without its counters, which are an item of their own. */
export interface PromotionRecord
  extends Readonly<Omit<Promotion, keyof PromotionCounts | 'id' | 'user_id' | 'placements' | 'status'>> {
  /** `prm_` and a ULID; of a bought promotion, the ULID of its checkout. */
  readonly id: string;
  /** The buyer; of a granted promotion, the owner of the project. */
  readonly user_id: string;
  readonly placements: readonly Placement[];
  readonly status: RecordedStatus;
  /** The checkout that paid for it; null when granted. */
  readonly checkout_id: string | null;
  /** Of a promotion that a refund or dispute revoked, its status before, and how long an active one would have run. */
  readonly lost?: { readonly status: 'pending' } | { readonly status: 'active'; readonly ms: number } | null;
  /** Incremented with every write of the record. */
  readonly version: number;
}

export interface PromotionCounts {
  readonly impressions: number;
  readonly clicks: number;
}

export type PromotionCounter = keyof PromotionCounts;

export const noPromotionCounts: PromotionCounts = { impressions: 0, clicks: 0 };

/** The status at a time: an active promotion is expired from its end on, before the expiry job has recorded it. */
export const statusAt = ({ status, ends_at }: PromotionRecord, at: string): RecordedStatus =>
  status === 'active' && ends_at !== null && ends_at <= at ? 'expired' : status;

/** Whether it is active and has started. */
export const isRunning = (promotion: PromotionRecord, at: string): boolean =>
  statusAt(promotion, at) === 'active' && promotion.starts_at !== null && promotion.starts_at <= at;

/** Whether it occupies its slots at a time: while active, and while paid and awaiting approval. */
export const holdsSlots = (promotion: PromotionRecord, at: string): boolean =>
  ['pending', 'active'].includes(statusAt(promotion, at));

/** Whether it has a copy in the partition of current promotions. */
export const isCurrent = ({ status }: Pick<PromotionRecord, 'status'>): boolean =>
  status === 'pending' || status === 'active';

export const promotionOfCheckout = (checkoutId: string): string => checkoutId.replace(/^chk_/, 'prm_');

export const checkoutOfPromotion = (promotionId: string): string => promotionId.replace(/^prm_/, 'chk_');

/** The data of events about a promotion that has been active. */
export const promotionEventData = (
  promotion: PromotionRecord,
): Extract<LoggedEvent, { kind: 'promotionActivated' }>['data'] => ({
  promotion_id: promotion.id,
  project_id: promotion.project_id,
  user_id: promotion.user_id,
  placements: [...promotion.placements],
  starts_at: promotion.starts_at ?? promotion.created_at,
  ends_at: promotion.ends_at ?? promotion.created_at,
});

export interface Occupancy {
  /** Every promotion whose stored status is pending or active. */
  readonly current: readonly PromotionRecord[];
  /** The number of allocations of each placement so far, read before `current`. */
  readonly allocationVersions: Readonly<Record<Placement, number>>;
}

/**
 * Optimistic lock on limited placements: the allocation version at which a slot was seen to be free. A write that
 * carries it fails when another slot of the placement was allocated since.
 */
export type AllocationVersions = Readonly<Partial<Record<Placement, number>>>;

/** How far in the future a promotion may end, in days: three years. */
const HORIZON_DAYS = 3 * 366;

/** Adds days of 24 hours. Times are ISO 8601 in UTC with milliseconds, here and below. */
export const daysAfter = (at: string, days: number): string => new Date(Date.parse(at) + days * DAY_MS).toISOString();

/** Adds calendar months; a day that the target month lacks becomes its last day. */
export const monthsAfter = (at: string, months: number): string => {
  const later = new Date(at);
  const day = later.getUTCDate();
  later.setUTCDate(1);
  later.setUTCMonth(later.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate();
  later.setUTCDate(Math.min(day, lastDay));
  return later.toISOString();
};

/** The part of a bought promotion's time that was lost when it was revoked, from 0 to 1. */
export const lostShare = ({ lost, starts_at, months }: PromotionRecord): number => {
  if (!lost) return 0;
  if (lost.status === 'pending' || starts_at === null || months === null) return 1;
  return Math.min(1, lost.ms / (Date.parse(monthsAfter(starts_at, months)) - Date.parse(starts_at)));
};

/** Whether a time is too far in the future for a promotion to end. */
export const isBeyondHorizon = (time: string, at: string): boolean =>
  Date.parse(time) > Date.parse(at) + HORIZON_DAYS * DAY_MS;

/** Prices shown to front ends: amounts in the smallest unit that Stripe has for the currency. */
export interface Offer {
  /** ISO 4217 in lower case. */
  readonly currency: string;
  readonly premiumPrice: number;
  /** Per month, by placement. */
  readonly promotionPrices: Readonly<Record<string, number>>;
  /** The number of simultaneous promotions, by placement; null for no limit. */
  readonly promotionSlots: Readonly<Record<string, number | null>>;
  readonly bundleDiscountPercent: number;
}
