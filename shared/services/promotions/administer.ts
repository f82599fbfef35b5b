import type { Promotion, PromotionAction, PromotionGrant } from '#contract/promotions.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { findProject } from '#data/projects.ts';
import { findPromotion, insertPromotion, isPaymentPending } from '#data/promotions.ts';
import { newMessage } from '#events/catalogue.ts';
import { isOpen } from '#model/policy.ts';
import type { ProjectRecord } from '#model/project.ts';
import {
  daysAfter,
  isBeyondHorizon,
  monthsAfter,
  noPromotionCounts,
  type PromotionRecord,
  promotionEventData,
  type RecordedStatus,
  statusAt,
} from '#model/promotion.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { createOnce } from '#services/create-once.ts';
import { conflict, invalidField, notFound } from '#shared/errors.ts';
import { changePromotion, getFreeSlots, type PromotionChange, revocation } from './change.ts';
import { promotionView } from './list.ts';

const notLive = () => conflict('NOT_LIVE', 'Only a live project can be promoted.');

/** The statuses, as of now, from which each action is possible. */
const transitions = {
  approve: ['pending'],
  extend: ['active', 'expired'],
  revoke: ['pending', 'active'],
  set_end_date: ['active', 'expired'],
} as const satisfies Record<PromotionAction['action'], readonly RecordedStatus[]>;

/** The project to promote. @throws 404 when it is missing or deleted, 409 NOT_LIVE when it is not live. */
const getLiveProject = async (reference: string): Promise<ProjectRecord> => {
  const project = (await findProject(reference))?.project;
  if (project?.deleted_at !== null) throw notFound();
  if (!isOpen(project)) throw notLive();
  return project;
};

const mustBeWithinHorizon = (field: string, ends_at: string, at: string): void => {
  if (isBeyondHorizon(ends_at, at)) throw invalidField([field], 'must end within three years from now');
};

const approve = (admin: UserRecord, current: PromotionRecord, at: string): PromotionChange => {
  const next: PromotionRecord = {
    ...current,
    status: 'active',
    starts_at: at,
    ends_at: monthsAfter(at, current.months ?? 1),
  };
  return { next, needsSlots: true, messages: [newMessage('promotionActivated', admin.id, promotionEventData(next))] };
};

/** Changes the end of an active promotion, which holds its slots until its current end. */
const moveEnd = (current: PromotionRecord, ends_at: string): PromotionChange => ({
  next: { ...current, ends_at },
  needsSlots: ends_at > (current.ends_at ?? ''),
  messages: [],
});

/** Restarts an expired promotion now. If its expiry was not recorded yet, the event about it is published first. */
const restart = (
  admin: UserRecord,
  current: PromotionRecord,
  { at, ends_at }: { at: string; ends_at: string },
): PromotionChange => {
  const next: PromotionRecord = { ...current, status: 'active', starts_at: at, ends_at };
  const missed = current.status === 'active' ? [newMessage('promotionExpired', null, promotionEventData(current))] : [];
  return {
    next,
    needsSlots: true,
    messages: [...missed, newMessage('promotionActivated', admin.id, promotionEventData(next))],
  };
};

const extend = (admin: UserRecord, current: PromotionRecord, days: number, at: string): PromotionChange => {
  const isActive = statusAt(current, at) === 'active';
  const ends_at = daysAfter(isActive && current.ends_at !== null ? current.ends_at : at, days);
  mustBeWithinHorizon('days', ends_at, at);
  return isActive ? moveEnd(current, ends_at) : restart(admin, current, { at, ends_at });
};

const setEndDate = (
  admin: UserRecord,
  current: PromotionRecord,
  ends_at: string,
  at: string,
): PromotionChange | undefined => {
  mustBeWithinHorizon('ends_at', ends_at, at);
  if (statusAt(current, at) === 'active') return moveEnd(current, ends_at > at ? ends_at : at);
  // A past end does not change when an expired promotion ended.
  return ends_at > at ? restart(admin, current, { at, ends_at }) : undefined;
};

/** @throws 409 when a change would start or prolong the promotion of a project that is not live: its time would elapse unseen. */
const mustBeLiveToRun = async (
  current: PromotionRecord,
  change: PromotionChange | undefined,
): Promise<PromotionChange | undefined> => {
  if (!change?.needsSlots) return change;
  const project = (await findProject(current.project_id))?.project;
  if (!project || !isOpen(project)) throw notLive();
  return change;
};

/** Checks that a promotion exists, paid or not, before the body of a request is validated. @throws 404. */
export const permitAdministration = async (promotionId: string): Promise<void> => {
  if (!(await findPromotion(promotionId)) && !(await isPaymentPending(promotionId))) throw notFound();
};

/** Approves, extends, revokes or ends a promotion. @throws 404; 409 INVALID_TRANSITION, SOLD_OUT, NOT_LIVE; 400. */
export const administerPromotion = async (
  admin: UserRecord,
  promotionId: string,
  body: PromotionAction,
): Promise<PromotionRecord> => {
  if (!(await findPromotion(promotionId)) && (await isPaymentPending(promotionId))) {
    throw conflict('INVALID_TRANSITION', 'The promotion has not been paid yet.');
  }
  return await changePromotion(promotionId, (current, at) => {
    const status = statusAt(current, at);
    if (!(transitions[body.action] as readonly RecordedStatus[]).includes(status)) {
      throw conflict('INVALID_TRANSITION', `The promotion is ${status}.`);
    }
    switch (body.action) {
      case 'approve':
        return mustBeLiveToRun(current, approve(admin, current, at));
      case 'extend':
        return mustBeLiveToRun(current, extend(admin, current, body.days, at));
      case 'revoke':
        return revocation(current, { actorId: admin.id, reason: body.reason ?? null, at });
      case 'set_end_date':
        return mustBeLiveToRun(current, setEndDate(admin, current, body.ends_at, at));
    }
  });
};

const endOf = (grant: PromotionGrant, at: string): string => {
  if (grant.ends_at === undefined) return daysAfter(at, grant.days ?? 1);
  if (grant.ends_at <= at) throw invalidField(['ends_at'], 'must be in the future');
  mustBeWithinHorizon('ends_at', grant.ends_at, at);
  return grant.ends_at;
};

const insertGrant = async (id: string, admin: UserRecord, grant: PromotionGrant): Promise<PromotionRecord> => {
  const project = await getLiveProject(grant.project_id);
  const at = now();
  const promotion: PromotionRecord = {
    id,
    project_id: project.id,
    user_id: project.owner_id,
    placements: grant.placements,
    status: 'active',
    starts_at: at,
    ends_at: endOf(grant, at),
    months: null,
    cta_text: grant.cta_text ?? null,
    price: 0,
    currency: environment().payments.currency,
    reason: null,
    checkout_id: null,
    created_at: at,
    version: 1,
  };
  const versions = await getFreeSlots(promotion, at);
  const activated = newMessage('promotionActivated', admin.id, promotionEventData(promotion));
  await insertPromotion(promotion, versions, [activated]);
  return promotion;
};

/**
 * Promotes a live project for free, starting now.
 * @param seed as in `createOnce`.
 * @throws 404 for a missing or deleted one; 409 NOT_LIVE, SOLD_OUT; 400.
 */
export const grantPromotion = async (admin: UserRecord, grant: PromotionGrant, seed?: string): Promise<Promotion> => {
  const create = (id: string) => insertGrant(id, admin, grant);
  const promotion = await retryOnConflict(() => createOnce('prm', seed, { find: findPromotion, create }));
  return promotionView(promotion, noPromotionCounts, now());
};
