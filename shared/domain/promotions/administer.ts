import type { PromotionAction, PromotionGrant } from '#contract/promotions.ts';
import { message, type Workshop } from '#domain/messages.ts';
import { isOpen } from '#domain/projects/policy.ts';
import type { ProjectRecord } from '#domain/projects/project.ts';
import { retried } from '#domain/retried.ts';
import type { UserRecord } from '#domain/users/user.ts';
import type { Message } from '#events/catalogue.ts';
import { conflict, invalidField, notFound } from '#shared/errors.ts';
import { changePromotion, type Decision, type PromotionStore } from './change.ts';
import { daysAfter, isBeyondHorizon, monthsAfter } from './dates.ts';
import { getTurns, type Turns } from './places.ts';
import { factsOf, type PromotionRecord, type RecordedStatus, statusAt } from './promotion.ts';

/** From which states, as they are by the dates, each action is possible. */
const transitions = {
  approve: ['pending'],
  extend: ['active', 'expired'],
  revoke: ['pending', 'active'],
  set_end_date: ['active', 'expired'],
} as const satisfies Record<PromotionAction['action'], readonly RecordedStatus[]>;

/** What looking for the promoted project takes. */
interface FindsProject {
  readonly findProject: (reference: string) => Promise<{ project: ProjectRecord } | undefined>;
}

/** What deciding on promotions takes. */
export interface AdministerPorts extends PromotionStore, FindsProject {
  /** Whether a checkout of this promotion is open: then it waits for its payment. */
  readonly isPaymentPending: (promotionId: string) => Promise<boolean>;
}

const tell = (
  ports: Workshop,
  kind: 'promotionActivated' | 'promotionExpired',
  actorId: string | null,
  promotion: PromotionRecord,
): Message => message(ports, kind, actorId, factsOf(promotion));

/** Tells that a promotion was ended before its time. */
const revokedMessage = (ports: Workshop, actorId: string | null, promotion: PromotionRecord): Message =>
  message(ports, 'promotionRevoked', actorId, { ...factsOf(promotion), reason: promotion.reason });

const mustBeWithinHorizon = (field: string, ends_at: string, at: string): void => {
  if (isBeyondHorizon(ends_at, at)) throw invalidField([field], 'must end within three years from now');
};

const approve = async (ports: AdministerPorts, admin: UserRecord, current: PromotionRecord, at: string) => {
  const project = (await ports.findProject(current.project_id))?.project;
  // What was paid for must not run out unseen.
  if (!project || !isOpen(project)) throw conflict('INVALID_TRANSITION', 'The promoted project is not live.');
  const next: PromotionRecord = {
    ...current,
    status: 'active',
    starts_at: at,
    ends_at: monthsAfter(at, current.months ?? 1),
  };
  return { next, takesPlaces: true, messages: [tell(ports, 'promotionActivated', admin.id, next)] };
};

/** Moves the end of an active promotion. */
const moveEnd = (current: PromotionRecord, ends_at: string): Decision => ({
  next: { ...current, ends_at },
  // One that ends sooner than it was going to takes nothing from anybody.
  takesPlaces: ends_at > (current.ends_at ?? ''),
  messages: [],
});

/** Lets an expired promotion run again from now on. An expiry that nobody has noted yet is told first: each is told once. */
const runAgain = (
  ports: Workshop,
  admin: UserRecord,
  current: PromotionRecord,
  { at, ends_at }: { at: string; ends_at: string },
): Decision => {
  const next: PromotionRecord = { ...current, status: 'active', starts_at: at, ends_at };
  const missed = current.status === 'active' ? [tell(ports, 'promotionExpired', null, current)] : [];
  return { next, takesPlaces: true, messages: [...missed, tell(ports, 'promotionActivated', admin.id, next)] };
};

const extend = (ports: Workshop, admin: UserRecord, current: PromotionRecord, days: number, at: string): Decision => {
  const isActive = statusAt(current, at) === 'active';
  const ends_at = daysAfter(isActive && current.ends_at !== null ? current.ends_at : at, days);
  mustBeWithinHorizon('days', ends_at, at);
  return isActive ? moveEnd(current, ends_at) : runAgain(ports, admin, current, { at, ends_at });
};

const setEndDate = (
  ports: Workshop,
  admin: UserRecord,
  current: PromotionRecord,
  wanted: string,
  at: string,
): Decision | undefined => {
  mustBeWithinHorizon('ends_at', wanted, at);
  if (statusAt(current, at) === 'active') return moveEnd(current, wanted > at ? wanted : at);
  // What has ended stays as it has ended, unless it shall go on.
  return wanted > at ? runAgain(ports, admin, current, { at, ends_at: wanted }) : undefined;
};

/** What shall run longer must have something to show. @throws 409 for a promotion of a project that is gone or deleted. */
const prolonged = async (
  ports: FindsProject,
  current: PromotionRecord,
  decision: Decision | undefined,
): Promise<Decision | undefined> => {
  if (!decision?.takesPlaces) return decision;
  const project = (await ports.findProject(current.project_id))?.project;
  if (!project || project.deleted_at !== null) throw conflict('INVALID_TRANSITION', 'The promoted project is gone.');
  return decision;
};

/**
 * Ends a promotion now. One that was paid and never shown is paid back; of one that has run an administrator pays back
 * what he thinks fit.
 */
export const revoked = (
  ports: Workshop,
  current: PromotionRecord,
  { actorId, reason, at }: { readonly actorId: string | null; readonly reason: string | null; readonly at: string },
): Decision => {
  if (current.status === 'active') {
    const next: PromotionRecord = { ...current, status: 'revoked', ends_at: at, reason };
    return { next, messages: [revokedMessage(ports, actorId, next)] };
  }
  const refund =
    current.checkout_id === null ? [] : [message(ports, 'refundDue', actorId, { checkout_id: current.checkout_id })];
  return { next: { ...current, status: 'revoked', reason }, messages: refund };
};

/** Approves, extends, revokes or ends a promotion. @throws 404; 409 INVALID_TRANSITION, SOLD_OUT; 400. */
export const administerPromotion = async (
  ports: AdministerPorts,
  admin: UserRecord,
  promotionId: string,
  body: PromotionAction,
): Promise<PromotionRecord> => {
  if (await isUnpaid(ports, promotionId)) throw conflict('INVALID_TRANSITION', 'The promotion has not been paid yet.');
  return await changePromotion(ports, promotionId, (current, at) => {
    const status = statusAt(current, at);
    if (!(transitions[body.action] as readonly RecordedStatus[]).includes(status)) {
      throw conflict('INVALID_TRANSITION', `The promotion is ${status}.`);
    }
    switch (body.action) {
      case 'approve':
        return approve(ports, admin, current, at);
      case 'extend':
        return prolonged(ports, current, extend(ports, admin, current, body.days, at));
      case 'revoke':
        return revoked(ports, current, { actorId: admin.id, reason: body.reason || null, at });
      case 'set_end_date':
        return prolonged(ports, current, setEndDate(ports, admin, current, body.ends_at, at));
    }
  });
};

const isUnpaid = async (ports: AdministerPorts, promotionId: string): Promise<boolean> =>
  (await ports.findPromotion(promotionId)) === undefined && (await ports.isPaymentPending(promotionId));

/** What granting takes. */
export interface GrantPorts extends Omit<PromotionStore, 'findPromotion' | 'replacePromotion'>, FindsProject {
  readonly currency: () => string;
  /** @throws an error named `ConditionFailed` when a place is not free any more. */
  readonly insertPromotion: (promotion: PromotionRecord, turns: Turns, messages: readonly Message[]) => Promise<void>;
}

const endOf = (grant: PromotionGrant, at: string): string => {
  if (grant.ends_at === undefined) return daysAfter(at, grant.days ?? 1);
  if (grant.ends_at <= at) throw invalidField(['ends_at'], 'must be a time to come');
  mustBeWithinHorizon('ends_at', grant.ends_at, at);
  return grant.ends_at;
};

/** Promotes a project for free, from now on. @throws 404 for a project that is gone or deleted; 409 SOLD_OUT; 400. */
export const grantPromotion = async (
  ports: GrantPorts,
  admin: UserRecord,
  grant: PromotionGrant,
): Promise<PromotionRecord> => {
  return await retried('ConditionFailed', async () => {
    const project = (await ports.findProject(grant.project_id))?.project;
    if (!project || project.deleted_at !== null) throw notFound();
    const at = ports.now();
    const promotion: PromotionRecord = {
      id: ports.newId('prm'),
      project_id: project.id,
      user_id: project.owner_id,
      placements: grant.placements,
      status: 'active',
      starts_at: at,
      ends_at: endOf(grant, at),
      months: null,
      cta_text: grant.cta_text ?? null,
      price: 0,
      currency: ports.currency(),
      reason: null,
      checkout_id: null,
      created_at: at,
      version: 1,
    };
    const turns = await getTurns(ports, promotion, at);
    await ports.insertPromotion(promotion, turns, [tell(ports, 'promotionActivated', admin.id, promotion)]);
    return promotion;
  });
};
