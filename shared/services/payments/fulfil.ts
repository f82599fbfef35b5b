import type { Placement } from '#contract/fields.ts';
import { roundToStep } from '#contract/money.ts';
import { categorySlugs } from '#data/categories.ts';
import { draftDeletion } from '#data/drafts.ts';
import { findCheckout, findCheckoutSubmission, type Settlement } from '#data/payments.ts';
import { findProject, isDuplicateUrl, takenSlugs } from '#data/projects.ts';
import { findUser } from '#data/users.ts';
import { type MessageData, newMessage } from '#events/catalogue.ts';
import { type CheckoutRecord, isRefunded, type Part, projectOfCheckout, refundsOf } from '#model/payment.ts';
import { isOpen } from '#model/policy.ts';
import { type ProjectRecord, projectEventData } from '#model/project.ts';
import { environment } from '#platform/environment.ts';
import { refund } from '#platform/stripe.ts';
import { applyDecision, isUnchanged } from '#services/projects/apply-rules.ts';
import { freeSlug } from '#services/projects/slug.ts';
import { draftIdOf, pendingProject } from '#services/projects/submit.ts';
import { purchaseWrites, restorationWrites, returnWrites } from '#services/promotions/change.ts';

/** What a payment or its return writes beside the checkout itself. */
export type Effect = Pick<Settlement, 'project' | 'writes' | 'messages'>;

interface Fulfilment extends Effect {
  readonly projectId: string;
}

/** The reason why a checkout cannot be fulfilled any more. */
interface Unfulfillable {
  readonly reason: string;
}

const fulfilSubmission = async (checkout: CheckoutRecord, at: string): Promise<Fulfilment | Unfulfillable> => {
  const buyer = await findUser(checkout.user_id);
  if (buyer?.erased_at !== null) return { reason: 'The buyer deleted their account.' };
  const ordered = await findCheckoutSubmission(checkout.id);
  if (!ordered) return { reason: 'The submission has expired.' };
  if (await isDuplicateUrl(ordered.submission.url)) return { reason: 'Another project has this URL now.' };
  const id = projectOfCheckout(checkout.id);
  const slug = await freeSlug(ordered.slug, takenSlugs);
  const categories = [...(await categorySlugs(ordered.categoryIds))];
  const plan = isRefunded(checkout) ? 'standard' : 'premium';
  const pending: ProjectRecord = {
    ...pendingProject(
      { ...ordered.submission, plan, categories },
      {
        id,
        slug,
        ownerId: checkout.user_id,
        at,
        fieldValues: ordered.fieldValues,
      },
    ),
    paid_at: isRefunded(checkout) ? null : at,
  };
  const decision = ordered.decision && (await isUnchanged(ordered.decision.rule)) ? ordered.decision : undefined;
  const submitted = { cause: 'submitted', actorId: checkout.user_id } as const;
  const { next, origin, messages, writes } = applyDecision(pending, decision, submitted);
  const draftId = draftIdOf(ordered.submission);
  const completed = draftId === undefined ? [] : [draftDeletion(checkout.user_id, draftId)];
  return { projectId: id, project: { insert: next, origin, writes: [...writes, ...completed] }, messages };
};

const PROJECT_DELETED: Unfulfillable = { reason: 'The project was deleted.' };
const ALREADY_PREMIUM: Unfulfillable = { reason: 'The project already has the premium plan.' };

const findTargetProject = async (checkout: CheckoutRecord): Promise<ProjectRecord | undefined> => {
  const project = (await findProject(checkout.project_id ?? ''))?.project;
  return project?.deleted_at === null ? project : undefined;
};

const fulfilUpgrade = async (checkout: CheckoutRecord, at: string): Promise<Fulfilment | Unfulfillable> => {
  const current = await findTargetProject(checkout);
  if (!current) return PROJECT_DELETED;
  if (current.plan === 'premium') return ALREADY_PREMIUM;
  const next: ProjectRecord = {
    ...current,
    plan: 'premium',
    paid_at: checkout.paid_at ?? at,
    version: current.version + 1,
  };
  const data = { ...projectEventData(next), changed: ['plan', 'paid_at'] };
  return {
    projectId: current.id,
    project: { replace: current, by: next, origin: { cause: 'payment', actorId: checkout.user_id } },
    messages: [newMessage('projectUpdated', checkout.user_id, data)],
  };
};

const fulfilPromotion = async (checkout: CheckoutRecord, at: string): Promise<Fulfilment | Unfulfillable> => {
  const project = await findTargetProject(checkout);
  if (!project) return PROJECT_DELETED;
  if (!isOpen(project)) return { reason: 'The project is not live.' };
  if (!environment().features.promotions) return { reason: 'Promotions are switched off.' };
  const writes = await purchaseWrites({
    checkoutId: checkout.id,
    projectId: project.id,
    userId: checkout.user_id,
    placements: checkout.placements ?? [],
    months: checkout.months ?? 1,
    price: checkout.amount,
    currency: checkout.currency,
    at,
  });
  return writes ? { projectId: project.id, writes, messages: [] } : { reason: 'The slots are sold out.' };
};

/** What the payment of a checkout delivers. The submission of a payment that was returned gets the standard plan. */
export const fulfil = (checkout: CheckoutRecord, at: string): Promise<Fulfilment | Unfulfillable> => {
  switch (checkout.kind) {
    case 'submission':
      return fulfilSubmission(checkout, at);
    case 'upgrade':
      return fulfilUpgrade(checkout, at);
    case 'promotion':
      return fulfilPromotion(checkout, at);
  }
};

const planChange = (project: ProjectRecord, plan: Pick<ProjectRecord, 'plan' | 'paid_at'>): Effect => {
  const next: ProjectRecord = { ...project, ...plan, version: project.version + 1 };
  const data = { ...projectEventData(next), changed: ['plan', 'paid_at'] };
  return {
    project: { replace: project, by: next, origin: { cause: 'payment', actorId: null } },
    messages: [newMessage('projectUpdated', null, data)],
  };
};

/** Revokes what a paid checkout delivered: the promotion, or the premium plan unless a later payment bought it. */
export const revoke = async (checkout: CheckoutRecord, at: string): Promise<Effect> => {
  if (checkout.paid_at === null) return { messages: [] };
  if (checkout.kind === 'promotion') return { writes: await returnWrites(checkout.id, at), messages: [] };
  const project = (await findProject(checkout.project_id ?? ''))?.project;
  if (!project || project.plan !== 'premium' || project.paid_at !== checkout.paid_at) return { messages: [] };
  return planChange(project, { plan: 'standard', paid_at: null });
};

/** What a payment that counts again delivers. */
interface Restoration extends Effect {
  /** What cannot be delivered any more: all of it, or parts. */
  readonly due: 'all' | readonly Part[];
}

/** What one of the placements that were bought cost, by the monthly prices of now. */
const priceOf = ({ amount, placements }: CheckoutRecord, placement: Placement): number => {
  const { monthlyPrices } = environment().promotions;
  const bought = [...new Set(placements)];
  const sum = bought.reduce((total, one) => total + monthlyPrices[one], 0);
  return sum === 0 ? amount / bought.length : (amount * monthlyPrices[placement]) / sum;
};

const restorePromotion = async (checkout: CheckoutRecord, at: string): Promise<Restoration | undefined> => {
  const project = await findTargetProject(checkout);
  const found = await restorationWrites(checkout.id, { isLive: project !== undefined && isOpen(project), at });
  if (!found) return undefined;
  const { writes, missing, isRestored, share } = found;
  if (!isRestored && share === 1) return { writes, messages: [], due: 'all' };
  const { amount_refunded, refund_currency } = refundsOf(checkout);
  let left = checkout.amount - (refund_currency === checkout.currency ? amount_refunded : 0);
  const due: Part[] = [];
  for (const id of missing) {
    const amount = Math.min(left, roundToStep(priceOf(checkout, id) * share, checkout.currency));
    if (amount > 0) due.push({ id, amount });
    left -= amount;
  }
  return { writes, messages: [], due };
};

const restorePlan = async (checkout: CheckoutRecord): Promise<Restoration> => {
  const project = (await findProject(checkout.project_id ?? ''))?.project;
  // A project that was deleted permanently lost its plan by that. With the time of the payment, it still has what it had.
  if (!project || project.paid_at === checkout.paid_at) return { messages: [], due: [] };
  // A later payment bought the plan.
  if (project.paid_at !== null) return { messages: [], due: 'all' };
  return { ...planChange(project, { plan: 'premium', paid_at: checkout.paid_at }), due: [] };
};

/** Restores what `revoke` took away, or delivers what was paid for while the payment was returned. */
export const restore = async (checkout: CheckoutRecord, at: string): Promise<Restoration> => {
  const { paid_at, delivery } = checkout;
  if (paid_at === null || delivery === 'mismatch') return { messages: [], due: [] };
  if (delivery === null) {
    const result = await fulfil(checkout, at);
    if ('reason' in result) return { messages: [], due: 'all' };
    const { projectId: _, ...effect } = result;
    return { ...effect, due: [] };
  }
  const isUndelivered = delivery === 'refundDue';
  if (checkout.kind === 'promotion') {
    return (await restorePromotion(checkout, at)) ?? { messages: [], due: isUndelivered ? 'all' : [] };
  }
  return isUndelivered ? { messages: [], due: 'all' } : await restorePlan(checkout);
};

/**
 * Refunds the payment of a checkout that could not be fulfilled, or whose promotion was rejected, or the part for what
 * could not be restored. Idempotent. The event of the provider about the refund then updates the checkout and the ledger.
 * @throws 503 when the provider is unavailable.
 */
export const refundCheckout = async ({ checkout_id, part }: MessageData<'refundDue'>): Promise<void> => {
  const checkout = await findCheckout(checkout_id);
  if (checkout?.status === 'paid' || checkout?.status === 'fulfilled') await refund(checkout, part);
};
