import { message } from '#domain/messages.ts';
import { factsOf } from '#domain/projects/facts.ts';
import type { ProjectRecord } from '#domain/projects/project.ts';
import { freeSlug } from '#domain/projects/slug.ts';
import { pendingProject } from '#domain/projects/submit.ts';
import type { Message } from '#events/catalogue.ts';
import { type CheckoutRecord, projectOfCheckout, wentBack } from './checkout.ts';
import type { ProjectStep, SettlePorts } from './settlement.ts';

/** What a paid checkout brings its buyer. */
export interface Delivery<W> {
  readonly projectId: string | null;
  readonly project?: ProjectStep;
  readonly others?: readonly W[];
  readonly messages: readonly Message[];
}

/** Why what was bought cannot be delivered any more. */
export interface TooLate {
  readonly tooLate: string;
}

const deliverSubmission = async <W>(
  ports: SettlePorts<W>,
  checkout: CheckoutRecord,
  at: string,
): Promise<Delivery<W> | TooLate> => {
  // Nobody would own the project, and whoever wanted to be forgotten does not want to be listed anew.
  if (!(await ports.isUserThere(checkout.user_id))) return { tooLate: 'The buyer has left.' };
  const draft = await ports.findDraft(checkout.id);
  if (!draft) return { tooLate: 'The submission is not kept any more.' };
  if (await ports.isAddressRefused(draft.submission.url))
    return { tooLate: 'Another project has got the address meanwhile.' };
  const id = projectOfCheckout(checkout.id);
  const slug = await freeSlug(draft.slug, ports.takenSlugs);
  const categories = [...(await ports.categorySlugs(draft.categoryIds))];
  const plan = wentBack(checkout) ? 'standard' : 'premium';
  const project: ProjectRecord = {
    ...pendingProject({ ...draft.submission, plan, categories }, { id, slug, ownerId: checkout.user_id, at }),
    paid_at: at,
  };
  return {
    projectId: id,
    project: { insert: project },
    messages: [message(ports, 'projectSubmitted', checkout.user_id, factsOf(project))],
  };
};

const GONE: TooLate = { tooLate: 'The project is gone.' };

/** The project that something was bought for, unless it is gone or deleted. */
const standing = async <W>(ports: SettlePorts<W>, checkout: CheckoutRecord): Promise<ProjectRecord | undefined> => {
  const project = (await ports.findProject(checkout.project_id ?? ''))?.project;
  return project?.deleted_at === null ? project : undefined;
};

const deliverUpgrade = async <W>(
  ports: SettlePorts<W>,
  checkout: CheckoutRecord,
  at: string,
): Promise<Delivery<W> | TooLate> => {
  const current = await standing(ports, checkout);
  if (!current) return GONE;
  if (wentBack(checkout)) return { projectId: current.id, messages: [] };
  if (current.plan === 'premium') return { tooLate: 'The project has the premium plan already.' };
  const next: ProjectRecord = { ...current, plan: 'premium', paid_at: at, version: current.version + 1 };
  return {
    projectId: current.id,
    project: { replace: current, by: next },
    messages: [message(ports, 'projectUpdated', checkout.user_id, { ...factsOf(next), changed: ['plan', 'paid_at'] })],
  };
};

const deliverPromotion = async <W>(
  ports: SettlePorts<W>,
  checkout: CheckoutRecord,
  at: string,
): Promise<Delivery<W> | TooLate> => {
  const current = await standing(ports, checkout);
  if (!current) return GONE;
  if (wentBack(checkout)) return { projectId: current.id, messages: [] };
  const others = await ports.promotionWrites({
    checkoutId: checkout.id,
    projectId: current.id,
    userId: checkout.user_id,
    placements: checkout.placements ?? [],
    months: checkout.months ?? 1,
    price: checkout.amount,
    currency: checkout.currency,
    at,
  });
  return others ? { projectId: current.id, others, messages: [] } : { tooLate: 'The places have been sold meanwhile.' };
};

/**
 * What the payment of a checkout brings at this moment. Money that went back before it was known to have come brings what
 * it would have left behind had the news come in order: a submission becomes a project of the standard plan.
 */
export const deliver = <W>(
  ports: SettlePorts<W>,
  checkout: CheckoutRecord,
  at: string,
): Promise<Delivery<W> | TooLate> => {
  switch (checkout.kind) {
    case 'submission':
      return deliverSubmission(ports, checkout, at);
    case 'upgrade':
      return deliverUpgrade(ports, checkout, at);
    case 'promotion':
      return deliverPromotion(ports, checkout, at);
  }
};
