import { CheckoutProject, type CheckoutRequest } from '#contract/payments.ts';
import type { CheckoutStarted, Submission } from '#contract/projects.ts';
import { categoryIds } from '#data/categories.ts';
import { discardCheckout, findCheckout, insertCheckout, saveSession } from '#data/checkouts.ts';
import { findProject, isDuplicateUrl, takenSlugs } from '#data/projects.ts';
import { type Draft, newCheckout, type Order, projectOfCheckout } from '#model/checkout.ts';
import { isOpen, mustBeChangeable } from '#model/policy.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { settings } from '#platform/settings.ts';
import { openSession, paymentsMustBeConfigured } from '#platform/stripe.ts';
import { currentCategories, mustNotBeReserved } from '#services/projects/content.ts';
import { slugFrom } from '#services/projects/slug-from-name.ts';
import { getFreeSlots } from '#services/promotions/slots.ts';
import { decideSubmission } from '#services/rules/decide.ts';
import { conflict, notFound } from '#shared/errors.ts';
import { premiumPrice, promotionPrice } from './prices.ts';

const ulidOf = (id: string): string => id.slice(id.indexOf('_') + 1).toLowerCase();

/**
 * Opens a checkout. It is stored before the session is created, so that every event of the provider finds it, and
 * deleted again when the provider fails. A crash in between leaves an open checkout without a session, which the
 * reconciliation ends.
 * @param seed the ULID of an idempotent request, from which the checkout id is derived: a retry finds the first
 * checkout.
 */
const openCheckout = async (
  buyer: UserRecord,
  order: Order,
  { seed, draftFor }: { readonly seed: string | undefined; readonly draftFor?: (checkoutId: string) => Draft },
): Promise<CheckoutStarted> => {
  const id = seed === undefined ? newId('chk') : `chk_${seed}`;
  const existing = seed === undefined ? undefined : await findCheckout(id);
  if (existing?.checkout_url) return { checkoutUrl: existing.checkout_url, checkout_id: id };
  const checkout = existing ?? newCheckout(order, id, buyer.id, now());
  if (!existing) await insertCheckout(checkout, draftFor?.(id));
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
 * Opens the checkout of a premium submission. The submission is validated now and becomes a project when it is paid.
 * @throws 409 when the slug is taken or the address is a duplicate, 400 for an unknown category, 503 when payments are
 * unavailable.
 */
export const submitPremium = async (
  buyer: UserRecord,
  submission: Submission,
  seed?: string,
): Promise<CheckoutStarted> => {
  const { slug } = submission;
  const categories = await currentCategories(submission.categories);
  if (slug !== undefined) {
    mustNotBeReserved(slug);
    if ((await takenSlugs([slug])).has(slug)) {
      throw conflict('SLUG_TAKEN', `The slug "${slug}" belongs to another project.`);
    }
  }
  if (await isDuplicateUrl(submission.url)) {
    throw conflict('DUPLICATE_URL', 'Another project has this address.');
  }
  await paymentsMustBeConfigured();
  const order: Order = { kind: 'submission', title: `Premium listing: ${submission.name}`, ...premiumPrice() };
  const ids = [...(await categoryIds(categories)).values()];
  // Decided now, when it is submitted; the rule must still be the same when it is paid.
  const decision = await decideSubmission({
    ...submission,
    categories,
    id: newId('prj'),
    long_description: submission.long_description ?? null,
    submitter: buyer,
    at: now(),
  });
  const draftFor = (checkoutId: string): Draft => ({
    submission,
    slug: slug ?? slugFrom(submission.name, ulidOf(projectOfCheckout(checkoutId))),
    categoryIds: ids,
    decision: decision ?? null,
  });
  return await openCheckout(buyer, order, { seed, draftFor });
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
  if (request.kind === 'promotion' && !settings().features.promotions) throw notFound();
  const project = await getPurchasedProject(buyer, request.project_id);
  const order = request.kind === 'upgrade' ? orderUpgrade(project) : await orderPromotion(project, request);
  await paymentsMustBeConfigured();
  return await openCheckout(buyer, order, { seed });
};
