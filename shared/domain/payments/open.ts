import type { CheckoutStarted } from '#contract/checkout.ts';
import type { CheckoutRequest } from '#contract/payments.ts';
import type { Placement } from '#contract/placement.ts';
import type { Submission } from '#contract/projects.ts';
import type { Workshop } from '#domain/messages.ts';
import { type CategoryRegister, mustExist, mustNotBeReserved } from '#domain/projects/content.ts';
import { mustBeChangeable } from '#domain/projects/policy.ts';
import type { ProjectRecord } from '#domain/projects/project.ts';
import { slugFrom } from '#domain/projects/slug-from-name.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { conflict, notFound } from '#shared/errors.ts';
import { type CheckoutRecord, type Draft, newCheckout, type Order, projectOfCheckout } from './checkout.ts';

/** What opening a checkout takes. */
export interface OpenPorts extends Workshop {
  readonly findCheckout: (checkoutId: string) => Promise<CheckoutRecord | undefined>;
  /** Keeps the checkout, and with a premium submission what it said. */
  readonly insertCheckout: (checkout: CheckoutRecord, draft: Draft | undefined) => Promise<void>;
  /** Forgets a checkout that nobody will ever hear of. */
  readonly dropCheckout: (checkoutId: string) => Promise<void>;
  readonly rememberSession: (checkoutId: string, session: { sessionId: string; url: string }) => Promise<void>;
  /** @throws 503 when there is nobody to pay to. */
  readonly mustBeConfigured: () => Promise<void>;
  /** Opens the provider's session; with one checkout always the same. @throws 503 when the provider does not answer. */
  readonly openSession: (
    checkout: CheckoutRecord,
    buyer: { readonly email: string | null },
  ) => Promise<{ sessionId: string; url: string }>;
  /** What the premium plan costs. */
  readonly premiumPrice: () => { readonly amount: number; readonly currency: string };
}

const ulidOf = (id: string): string => id.slice(id.indexOf('_') + 1).toLowerCase();

/**
 * Opens a checkout. It is kept before the provider hears of it, so that whatever the provider tells finds it; when the
 * provider fails it is forgotten again. A process that dies in between leaves an open checkout that nobody can pay and
 * that the reconciliation ends.
 * @param seed the ULID of an idempotent request: the checkout's id is made from it, so a second try finds the first.
 */
const openCheckout = async (
  ports: OpenPorts,
  buyer: UserRecord,
  order: Order,
  { seed, draftFor }: { readonly seed: string | undefined; readonly draftFor?: (checkoutId: string) => Draft },
): Promise<CheckoutStarted> => {
  const id = seed === undefined ? ports.newId('chk') : `chk_${seed}`;
  // An earlier try of the same request may have opened it and died before it could say so.
  const known = seed === undefined ? undefined : await ports.findCheckout(id);
  if (known?.checkout_url) return { checkoutUrl: known.checkout_url, checkout_id: id };
  const checkout = known ?? newCheckout(order, id, buyer.id, ports.now());
  if (!known) await ports.insertCheckout(checkout, draftFor?.(id));
  let session: { sessionId: string; url: string };
  try {
    session = await ports.openSession(checkout, buyer);
  } catch (error) {
    await ports.dropCheckout(checkout.id);
    throw error;
  }
  await ports.rememberSession(checkout.id, session);
  return { checkoutUrl: session.url, checkout_id: checkout.id };
};

/** What a premium submission takes. */
export interface PremiumPorts extends OpenPorts, CategoryRegister {
  readonly takenSlugs: (slugs: readonly string[]) => Promise<ReadonlySet<string>>;
  /** The ids of the categories that some slugs belong to; slugs of none are left out. */
  readonly categoryIds: (slugs: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly refusedBecauseOf: (url: string) => Promise<readonly string[]>;
}

/**
 * Begins a premium submission: it is checked as if it were stored now, kept, and becomes a project when it is paid.
 * @throws 409 when a given slug is taken or the address is refused, 400 for an unknown category, 503 while there is nobody
 * to pay to.
 */
export const submitPremium = async (
  ports: PremiumPorts,
  buyer: UserRecord,
  submission: Submission,
  seed?: string,
): Promise<CheckoutStarted> => {
  const { slug, categories } = submission;
  await mustExist(ports, categories);
  if (slug !== undefined) {
    mustNotBeReserved(slug);
    if ((await ports.takenSlugs([slug])).has(slug)) {
      throw conflict('SLUG_TAKEN', `The slug "${slug}" belongs to another project.`);
    }
  }
  if ((await ports.refusedBecauseOf(submission.url)).length > 0) {
    throw conflict('DUPLICATE_URL', 'Another project has this address.');
  }
  await ports.mustBeConfigured();
  const order: Order = { kind: 'submission', title: `Premium listing: ${submission.name}`, ...ports.premiumPrice() };
  const categoryIds = [...(await ports.categoryIds(categories)).values()];
  const draftFor = (checkoutId: string): Draft => ({
    submission,
    slug: slug ?? slugFrom(submission.name, ulidOf(projectOfCheckout(checkoutId))),
    categoryIds,
  });
  return await openCheckout(ports, buyer, order, { seed, draftFor });
};

/** What buying something for a project takes. */
export interface BuyPorts extends OpenPorts {
  readonly findProject: (reference: string) => Promise<{ project: ProjectRecord } | undefined>;
  /** Whether promotions are sold at all. */
  readonly promotionsAreOn: () => boolean;
  /** What promotions cost. */
  readonly quotePromotion: (
    placements: readonly Placement[],
    months: number,
  ) => { readonly amount: number; readonly currency: string };
  /** @throws 409 SOLD_OUT when a placement has no place free. */
  readonly mustBeAvailable: (placements: readonly Placement[]) => Promise<void>;
}

const orderUpgrade = (ports: BuyPorts, project: ProjectRecord): Order => {
  if (project.plan === 'premium') throw conflict('ALREADY_PREMIUM', 'The project has the premium plan already.');
  const title = `Premium listing: ${project.name}`;
  return { kind: 'upgrade', title, projectId: project.id, ...ports.premiumPrice() };
};

const orderPromotion = async (
  ports: BuyPorts,
  project: ProjectRecord,
  { placements, months }: Extract<CheckoutRequest, { kind: 'promotion' }>,
): Promise<Order> => {
  await ports.mustBeAvailable(placements);
  const title = `Promotion: ${project.name}`;
  return {
    kind: 'promotion',
    title,
    projectId: project.id,
    placements,
    months,
    ...ports.quotePromotion(placements, months),
  };
};

/**
 * Begins to buy something for a project of the buyer.
 * @throws 404 and 403 as for changing the project; 409 for a premium project or sold placements; 503.
 */
export const startCheckout = async (
  ports: BuyPorts,
  buyer: UserRecord,
  request: CheckoutRequest,
  seed?: string,
): Promise<CheckoutStarted> => {
  // What is switched off does not exist.
  if (request.kind === 'promotion' && !ports.promotionsAreOn()) throw notFound();
  const stored = await ports.findProject(request.project_id);
  if (!stored || stored.project.deleted_at !== null) throw notFound();
  const { project } = stored;
  mustBeChangeable(project, buyer);
  const order =
    request.kind === 'upgrade' ? orderUpgrade(ports, project) : await orderPromotion(ports, project, request);
  await ports.mustBeConfigured();
  return await openCheckout(ports, buyer, order, { seed });
};
