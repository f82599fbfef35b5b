import { type Placement, placementNames } from '#contract/fields.ts';
import { roundToStep } from '#contract/money.ts';
import { CheckoutProject, type CheckoutRequest } from '#contract/payments.ts';
import type { CheckoutStarted, Submission } from '#contract/projects.ts';
import { categoryIds } from '#data/categories.ts';
import { discardCheckout, findCheckout, insertCheckout, isUnderWay, saveSession } from '#data/payments.ts';
import { findProject } from '#data/projects.ts';
import { type CheckoutSubmission, newCheckout, type Order, projectOfCheckout, subjectsOf } from '#model/payment.ts';
import { isOpen, mustBeChangeable } from '#model/policy.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { Offer } from '#model/promotion.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { newId } from '#platform/ids.ts';
import { openSession, paymentsMustBeConfigured } from '#platform/stripe.ts';
import { slugFrom } from '#services/projects/slug-from-name.ts';
import { checkSubmission } from '#services/projects/submit.ts';
import { getFreeSlots } from '#services/promotions/change.ts';
import { conflict, notFound } from '#shared/errors.ts';

/** An amount in the smallest unit that Stripe has for the currency. */
interface Price {
  readonly amount: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
}

/** The discount on all placements together, in percent. */
const BUNDLE_DISCOUNT_PERCENT = 30;

export const offer = (): Offer => ({
  currency: environment().payments.currency,
  premiumPrice: environment().payments.premiumPrice,
  promotionPrices: environment().promotions.monthlyPrices,
  promotionSlots: environment().promotions.slots,
  bundleDiscountPercent: BUNDLE_DISCOUNT_PERCENT,
});

const premiumPrice = (): Price => ({
  amount: environment().payments.premiumPrice,
  currency: environment().payments.currency,
});

/** The price of placements for some months, which Stripe charges; duplicates count once. */
const promotionPrice = (placements: readonly Placement[], months: number): Price => {
  const distinct = [...new Set(placements)];
  const sum = distinct.reduce((total, placement) => total + environment().promotions.monthlyPrices[placement], 0);
  const isBundle = distinct.length === placementNames.length;
  const { currency } = environment().payments;
  const perMonth = isBundle ? roundToStep((sum * (100 - BUNDLE_DISCOUNT_PERCENT)) / 100, currency) : sum;
  return { amount: perMonth * months, currency };
};

const ulidOf = (id: string): string => id.slice(id.indexOf('_') + 1).toLowerCase();

/**
 * Opens a checkout. It is stored before the session is created, so that every event of the provider finds it, and
 * deleted again when the provider fails. A crash in between leaves an open checkout without a session, which the
 * reconciliation ends.
 * @param seed the ULID of an idempotent request, from which the checkout id is derived: a retry finds the first
 * checkout.
 * @throws 409 while a payment for the same purchase is under way.
 */
const openCheckout = async (
  buyer: UserRecord,
  order: Order,
  {
    seed,
    submissionFor,
  }: { readonly seed: string | undefined; readonly submissionFor?: (checkoutId: string) => CheckoutSubmission },
): Promise<CheckoutStarted> => {
  const id = newId('chk', seed);
  const existing = seed === undefined ? undefined : await findCheckout(id);
  if (existing?.checkout_url) return { checkoutUrl: existing.checkout_url, checkout_id: id };
  const checkout = existing ?? newCheckout(order, id, buyer.id, now());
  const submission = submissionFor?.(id);
  if (await isUnderWay(subjectsOf(checkout, submission?.submission.url), id)) {
    throw conflict('IN_PROGRESS', 'A payment for this is under way. It can take some days.');
  }
  if (!existing) await insertCheckout(checkout, submission);
  let session: { sessionId: string; url: string };
  try {
    // The provider also mails to this address.
    session = await openSession(checkout, { email: buyer.email_verified ? buyer.email : null });
  } catch (error) {
    await discardCheckout(checkout.id);
    throw error;
  }
  await saveSession(checkout.id, session);
  return { checkoutUrl: session.url, checkout_id: checkout.id };
};

/**
 * Opens the checkout of a premium submission. The submission is checked and the rules decide now; it becomes a project when
 * it is paid, and then the rule must still be the same.
 * @throws what `checkSubmission` throws; 503 when payments are unavailable.
 */
export const submitPremium = async (
  buyer: UserRecord,
  submission: Submission,
  seed?: string,
): Promise<CheckoutStarted> => {
  const { categories, decision, fieldValues } = await checkSubmission(submission, buyer, newId('prj'));
  await paymentsMustBeConfigured();
  const order: Order = { kind: 'submission', title: `Premium listing: ${submission.name}`, ...premiumPrice() };
  const ids = [...(await categoryIds(categories)).values()];
  // Values are kept by the ids of their definitions.
  const { fields: _, ...content } = submission;
  const submissionFor = (checkoutId: string): CheckoutSubmission => ({
    submission: content,
    fieldValues,
    slug: submission.slug ?? slugFrom(submission.name, ulidOf(projectOfCheckout(checkoutId))),
    categoryIds: ids,
    decision: decision ?? null,
  });
  return await openCheckout(buyer, order, { seed, submissionFor });
};

const orderUpgrade = (project: ProjectRecord): Order => {
  if (project.plan === 'premium') throw conflict('ALREADY_PREMIUM', 'The project already has the premium plan.');
  const title = `Premium listing: ${project.name}`;
  return { kind: 'upgrade', title, projectId: project.id, ...premiumPrice() };
};

const orderPromotion = async (
  project: ProjectRecord,
  { placements, months }: Extract<CheckoutRequest, { kind: 'promotion' }>,
): Promise<Order> => {
  if (!isOpen(project)) throw conflict('NOT_LIVE', 'Only a live project can be promoted.');
  await getFreeSlots({ placements }, now());
  const title = `Promotion: ${project.name}`;
  const price = promotionPrice(placements, months);
  return { kind: 'promotion', title, projectId: project.id, placements, months, ...price };
};

/** @throws 404 and 403 as for changing the project, 404 also for a deleted one. */
const getPurchasedProject = async (buyer: UserRecord, reference: string): Promise<ProjectRecord> => {
  const stored = await findProject(reference);
  if (!stored || stored.project.deleted_at !== null) throw notFound();
  mustBeChangeable(stored.project, buyer);
  return stored.project;
};

/** Checks the permission for a checkout, as soon as its `project_id` can be read. @param body unvalidated. @throws 404, 403. */
export const permitCheckout = async (buyer: UserRecord, body: unknown): Promise<void> => {
  const { success, data } = CheckoutProject.safeParse(body);
  if (success) await getPurchasedProject(buyer, data.project_id);
};

/**
 * Opens the checkout of an upgrade or a promotion for a project of the buyer.
 * @throws 404 and 403 as for changing the project; 409 when it is premium already, not live or slots are sold out; 503
 * when payments are unavailable.
 */
export const startCheckout = async (
  buyer: UserRecord,
  request: CheckoutRequest,
  seed?: string,
): Promise<CheckoutStarted> => {
  if (request.kind === 'promotion' && !environment().features.promotions) throw notFound();
  const project = await getPurchasedProject(buyer, request.project_id);
  const order = request.kind === 'upgrade' ? orderUpgrade(project) : await orderPromotion(project, request);
  await paymentsMustBeConfigured();
  return await openCheckout(buyer, order, { seed });
};
