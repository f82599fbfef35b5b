import type * as z from 'zod';
import type { browse, list, Promotion, ShownPromotion } from '#contract/promotions.ts';
import { type Paging, pageOf } from '#data/paging.ts';
import { openCheckouts } from '#data/payments.ts';
import { allPromotions, currentPromotions, promotionsOfUser, readPromotionCounts } from '#data/promotions.ts';
import { type CheckoutRecord, isUnpaid } from '#model/payment.ts';
import { isOpen } from '#model/policy.ts';
import {
  isRunning,
  noPromotionCounts,
  type PromotionCounts,
  type PromotionRecord,
  promotionOfCheckout,
  statusAt,
} from '#model/promotion.ts';
import { shortenedToFit } from '#model/response-size.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { findProjectParts, type ProjectParts, publicView } from '#services/projects/read.ts';
import { shortListing } from '#services/projects/short-listings.ts';

/** A promotion as its owner and administrators see it at a time. */
export const promotionView = (
  promotion: PromotionRecord,
  { impressions, clicks }: PromotionCounts,
  at: string,
): Promotion => ({
  ...promotion,
  placements: [...promotion.placements],
  status: statusAt(promotion, at),
  impressions,
  clicks,
});

export const withCounts = async (promotion: PromotionRecord): Promise<Promotion> => {
  const [counts = noPromotionCounts] = await readPromotionCounts([promotion.id]);
  return promotionView(promotion, counts, now());
};

/** The public form of a running promotion, equal for all callers because shared caches store it. */
const shownView = (promotion: PromotionRecord, parts: ProjectParts): ShownPromotion => ({
  id: promotion.id,
  placements: [...promotion.placements],
  starts_at: promotion.starts_at ?? promotion.created_at,
  ends_at: promotion.ends_at ?? promotion.created_at,
  cta_text: promotion.cta_text,
  project: publicView(parts),
});

const byStart = (one: PromotionRecord, other: PromotionRecord): number =>
  `${other.starts_at}${other.id}` < `${one.starts_at}${one.id}` ? -1 : 1;

/** Whether a promotion of a project runs now. */
export const isPromoted = async (projectId: string): Promise<boolean> => {
  const at = now();
  return (await currentPromotions()).some((one) => one.project_id === projectId && isRunning(one, at));
};

/** What a promotion takes without its listing. */
const OTHERS_BYTES_MAX = 2000;

/** The promotions of a page, of which those of large listings have them short when they do not fit into a response together. */
const fittingPromotions = (promotions: readonly ShownPromotion[]): ShownPromotion[] =>
  shortenedToFit(promotions, (promotion, bytesMax) => ({
    ...promotion,
    project: shortListing(promotion.project, bytesMax - OTHERS_BYTES_MAX),
  }));

/** Running promotions of live projects, newest first. */
export const showPromotions = async (query: z.output<typeof list.query>) => {
  const { placement } = query;
  const at = now();
  const running = (await currentPromotions())
    .filter((one) => isRunning(one, at) && (placement === undefined || one.placements.includes(placement)))
    .toSorted(byStart);
  const projects = await Promise.all(running.map(({ project_id }) => findProjectParts(project_id)));
  const shown = running.flatMap((promotion, index) => {
    const parts = projects[index];
    return parts && isOpen(parts.project) ? [shownView(promotion, parts)] : [];
  });
  const { data, meta } = pageOf(shown, query);
  return { data: fittingPromotions(data), meta };
};

/** A user's promotions, newest first. */
export const listOwnPromotions = async (user: UserRecord, query: Paging) => {
  const { data, meta } = pageOf(await promotionsOfUser(user.id), query);
  const counts = await readPromotionCounts(data.map(({ id }) => id));
  const at = now();
  return { data: data.map((promotion, nth) => promotionView(promotion, counts[nth] ?? noPromotionCounts, at)), meta };
};

/** An open checkout in the form of the promotion that it will create. */
const unpaidView = (checkout: CheckoutRecord): Promotion => ({
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
  ...noPromotionCounts,
  reason: null,
  created_at: checkout.created_at,
});

/** Sorts after every timestamp. */
const END_OF_TIME = '9999';

const unpaidPromotions = async (): Promise<Promotion[]> => {
  const found: Promotion[] = [];
  for await (const checkout of openCheckouts(END_OF_TIME)) {
    if (checkout.kind === 'promotion' && isUnpaid(checkout)) found.push(unpaidView(checkout));
  }
  return found;
};

const byId = (one: { readonly id: string }, other: { readonly id: string }): number => (one.id < other.id ? 1 : -1);

/** All promotions for administrators, newest first; active and expired ones by default. */
export const browsePromotions = async (query: z.output<typeof browse.query>) => {
  const { status, project } = query;
  const at = now();
  const isOfProject = ({ project_id }: { readonly project_id: string }): boolean =>
    project === undefined || project_id === project;
  const matches = (promotion: PromotionRecord): boolean => {
    if (!isOfProject(promotion)) return false;
    const current = statusAt(promotion, at);
    if (status === undefined) return current === 'active' || current === 'expired';
    return status === 'all' || current === status;
  };
  const stored = status === 'pending_payment' ? [] : (await allPromotions()).filter(matches);
  const unpaid = status === 'pending_payment' || status === 'all' ? await unpaidPromotions() : [];
  // The index of open checkouts is eventually consistent: it can still contain one whose promotion was just created.
  const storedIds = new Set(stored.map(({ id }) => id));
  const all = [...stored, ...unpaid.filter((one) => isOfProject(one) && !storedIds.has(one.id))].toSorted(byId);
  const { data, meta } = pageOf(all, query);
  const counts = await readPromotionCounts(data.map(({ id }) => id));
  return {
    data: data.map((one, nth) =>
      'impressions' in one ? one : promotionView(one, counts[nth] ?? noPromotionCounts, at),
    ),
    meta,
  };
};
