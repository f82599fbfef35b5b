import type * as z from 'zod';
import type { ReadCatalog } from '#catalog/types.ts';
import type { browse, list, Promotion } from '#contract/promotions.ts';
import { type Paging, pageOf } from '#domain/paging.ts';
import type { CheckoutRecord } from '#domain/payments/checkout.ts';
import { isOpen } from '#domain/projects/policy.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { isRunning, type PromotionCounts, type PromotionRecord, promotionOfCheckout, statusAt } from './promotion.ts';
import { noCounts, promotionView, shownView } from './view.ts';

type ListQuery = z.output<typeof list.query>;
type BrowseQuery = z.output<typeof browse.query>;

/** What showing takes. */
export interface ShowPorts {
  readonly now: () => string;
  readonly currentPromotions: () => Promise<readonly PromotionRecord[]>;
  readonly catalog: () => Promise<Pick<ReadCatalog, 'find'>>;
}

const byStart = (one: PromotionRecord, other: PromotionRecord): number =>
  `${other.starts_at}${other.id}` < `${one.starts_at}${one.id}` ? -1 : 1;

/** What is promoted now: running promotions of live projects that are not deleted, the newest first. */
export const showPromotions = async (ports: ShowPorts, query: ListQuery) => {
  const { placement } = query;
  const [current, catalog] = await Promise.all([ports.currentPromotions(), ports.catalog()]);
  const at = ports.now();
  const shown = current
    .filter((one) => isRunning(one, at) && (placement === undefined || one.placements.includes(placement)))
    .toSorted(byStart)
    .flatMap((promotion) => {
      const entry = catalog.find(promotion.project_id);
      return entry && isOpen(entry.project) ? [{ promotion, entry }] : [];
    });
  const { data, meta } = pageOf(shown, query);
  return { data: data.map(({ promotion, entry }) => shownView(promotion, entry)), meta };
};

/** What adding the counters takes. */
interface CountsPort {
  readonly now: () => string;
  readonly readPromotionCounts: (promotionIds: readonly string[]) => Promise<readonly PromotionCounts[]>;
}

/** One promotion with its counters. */
export const withCounts = async (ports: CountsPort, promotion: PromotionRecord): Promise<Promotion> => {
  const [counts = noCounts] = await ports.readPromotionCounts([promotion.id]);
  return promotionView(promotion, counts, ports.now());
};

/** What listing one's own takes. */
export interface OwnPorts extends CountsPort {
  /** All promotions of a user, newest first. */
  readonly promotionsOfUser: (userId: string) => Promise<readonly PromotionRecord[]>;
}

/** A page of somebody's own promotions, newest first. */
export const listOwnPromotions = async (ports: OwnPorts, user: UserRecord, query: Paging) => {
  const { data, meta } = pageOf(await ports.promotionsOfUser(user.id), query);
  const counts = await ports.readPromotionCounts(data.map(({ id }) => id));
  const at = ports.now();
  return { data: data.map((promotion, nth) => promotionView(promotion, counts[nth] ?? noCounts, at)), meta };
};

/** What the administrators' list takes. */
export interface BrowsePorts extends CountsPort {
  /** All promotions, newest first. */
  readonly allPromotions: () => Promise<readonly PromotionRecord[]>;
  /** Checkouts that nobody has paid yet and that were opened before a moment. */
  readonly openCheckouts: (before: string) => AsyncIterable<CheckoutRecord>;
}

/** An open checkout as the promotion that it will be. */
const awaited = (checkout: CheckoutRecord): Promotion => ({
  id: promotionOfCheckout(checkout.id),
  project_id: checkout.project_id ?? '',
  user_id: checkout.user_id,
  placements: [...(checkout.placements ?? [])],
  status: 'pending_payment',
  starts_at: null,
  ends_at: null,
  months: checkout.months,
  cta_text: null,
  price: checkout.amount,
  currency: checkout.currency,
  ...noCounts,
  reason: null,
  created_at: checkout.created_at,
});

const awaitedPromotions = async (ports: BrowsePorts): Promise<Promotion[]> => {
  const found: Promotion[] = [];
  for await (const checkout of ports.openCheckouts(AFTER_ALL)) {
    if (checkout.kind === 'promotion' && checkout.status === 'open') found.push(awaited(checkout));
  }
  return found;
};

/** Behind every time that a checkout can have been opened at. */
const AFTER_ALL = '9999';

const byId = (one: { readonly id: string }, other: { readonly id: string }): number => (one.id < other.id ? 1 : -1);

/** The administrators' list, newest first: active and expired ones unless `status` says otherwise. */
export const browsePromotions = async (ports: BrowsePorts, query: BrowseQuery) => {
  const { status } = query;
  const at = ports.now();
  const isWanted = (one: PromotionRecord): boolean => {
    const now = statusAt(one, at);
    return status === 'all' || (status === undefined ? now === 'active' || now === 'expired' : now === status);
  };
  const stored = status === 'pending_payment' ? [] : (await ports.allPromotions()).filter(isWanted);
  const unpaid = status === 'pending_payment' || status === 'all' ? await awaitedPromotions(ports) : [];
  // A payment may have come in between the two reads.
  const known = new Set(stored.map(({ id }) => id));
  const all = [...stored, ...unpaid.filter(({ id }) => !known.has(id))].toSorted(byId);
  const { data, meta } = pageOf(all, query);
  const counts = await ports.readPromotionCounts(data.map(({ id }) => id));
  return {
    data: data.map((one, nth) => ('impressions' in one ? one : promotionView(one, counts[nth] ?? noCounts, at))),
    meta,
  };
};
