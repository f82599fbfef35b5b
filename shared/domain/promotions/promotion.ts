import type { Placement } from '#contract/placement.ts';
import type { PromotionStatus } from '#contract/promotions.ts';
import type { MessageData } from '#events/catalogue.ts';

/** What is written down of a promotion's state; whether an active one still runs is decided by its dates. */
export type RecordedStatus = Exclude<PromotionStatus, 'pending_payment'>;

/** A promotion as it is kept: everything but its counters, which stand in an item of their own. */
export interface PromotionRecord {
  /** `prm_` and a ULID; of a bought one the ULID of its checkout. */
  readonly id: string;
  readonly project_id: string;
  /** Its buyer; of a granted one the owner of the project. */
  readonly user_id: string;
  readonly placements: readonly Placement[];
  readonly status: RecordedStatus;
  /** Both null until it is activated; ISO 8601 in UTC with milliseconds. */
  readonly starts_at: string | null;
  readonly ends_at: string | null;
  /** For how long it was bought; null when granted. */
  readonly months: number | null;
  readonly cta_text: string | null;
  /** What was paid, in the smallest unit of the currency; 0 when granted. */
  readonly price: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
  /** Why it was revoked. */
  readonly reason: string | null;
  /** The checkout that it was bought in; null when granted. */
  readonly checkout_id: string | null;
  readonly created_at: string;
  /** Grows by one with every write of the record. */
  readonly version: number;
}

/** How often a promotion was seen and followed. */
export interface PromotionCounts {
  readonly impressions: number;
  readonly clicks: number;
}

/** Of the counters one. */
export type PromotionCounter = keyof PromotionCounts;

/** What the state of a promotion is at a moment: an active one is expired once its end has come, whoever has noted it. */
export const statusAt = ({ status, ends_at }: PromotionRecord, at: string): RecordedStatus =>
  status === 'active' && ends_at !== null && ends_at <= at ? 'expired' : status;

/** Whether its time runs at a moment. */
export const isRunning = (promotion: PromotionRecord, at: string): boolean =>
  statusAt(promotion, at) === 'active' && promotion.starts_at !== null && promotion.starts_at <= at;

/** Whether it takes its places at a moment: while its time runs, and while it is paid and waits for approval. */
export const holdsPlaces = (promotion: PromotionRecord, at: string): boolean =>
  ['pending', 'active'].includes(statusAt(promotion, at));

/** Whether anything can come of it by itself: those stand among the current ones. */
export const isCurrent = ({ status }: Pick<PromotionRecord, 'status'>): boolean =>
  status === 'pending' || status === 'active';

/** The id of the promotion that a checkout buys. */
export const promotionOfCheckout = (checkoutId: string): string => checkoutId.replace(/^chk_/, 'prm_');

/** The checkout that a promotion was bought in, if it was bought. */
export const checkoutOfPromotion = (promotionId: string): string => promotionId.replace(/^prm_/, 'chk_');

/** What events say of a promotion that has been active. */
export const factsOf = (promotion: PromotionRecord): MessageData<'promotionActivated'> => ({
  promotion_id: promotion.id,
  project_id: promotion.project_id,
  user_id: promotion.user_id,
  placements: [...promotion.placements],
  starts_at: promotion.starts_at ?? promotion.created_at,
  ends_at: promotion.ends_at ?? promotion.created_at,
});
