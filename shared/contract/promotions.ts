import * as z from 'zod';
import {
  blankAsAbsent,
  data,
  integer,
  optionalLine,
  optionalText,
  Placement,
  Placements,
  page,
  paging,
  Reference,
  Timestamp,
  TimestampInput,
} from './fields.ts';
import { AMOUNT_UNIT } from './money.ts';
import { Project } from './projects.ts';
import { adminOnly, defineRoute } from './route.ts';

/**
 * `pending_payment`: its checkout is open. `pending`: paid, its slots are reserved, not approved yet. `active`: between its
 * dates. `expired`: past its end. `revoked`: ended by an administrator or a refund.
 */
export const PromotionStatus = z.enum(['pending_payment', 'pending', 'active', 'expired', 'revoked']);
export type PromotionStatus = z.infer<typeof PromotionStatus>;

/** The most days in one grant or extension. */
const DAYS_MAX = 365;
/** The longest call to action, in characters. */
const CTA_MAX = 20;

const cta_text = optionalLine(CTA_MAX).describe('The label of the button; no button when null or empty.');

/** A promotion as visible to its buyer and administrators. */
export const Promotion = z
  .object({
    id: z.string().describe('`prm_` and a ULID.'),
    project_id: z.string().describe('The promoted project.'),
    user_id: z.string().describe('The buyer, or the owner of the project for a granted promotion.'),
    placements: z.array(Placement).describe('The placements.'),
    status: PromotionStatus.describe('Derived from the dates at reading time.'),
    starts_at: Timestamp.nullable().describe('The start; null before activation.'),
    ends_at: Timestamp.nullable().describe('The end; null before activation.'),
    months: z.int().min(1).nullable().describe('The duration bought, counted from activation; null when granted.'),
    cta_text: z.string().nullable().describe('The label of the button; plain text.'),
    price: z.int().min(0).describe(`The amount paid, ${AMOUNT_UNIT}; 0 when granted.`),
    currency: z.string().describe('ISO 4217 in lower case.'),
    impressions: z
      .int()
      .min(0)
      .describe('Impressions, once per visitor and hour, without bots; up to two minutes old.'),
    clicks: z.int().min(0).describe('Clicks, once per visitor and hour, without bots; up to two minutes old.'),
    reason: z.string().nullable().describe('The reason of a revocation; null otherwise.'),
    created_at: Timestamp,
  })
  .meta({ id: 'Promotion' });
export type Promotion = z.infer<typeof Promotion>;

/** An active promotion in the public list. */
export const ShownPromotion = z
  .object({
    id: z.string().describe('`prm_` and a ULID; impressions and clicks are reported with it.'),
    placements: z.array(Placement).describe('The placements.'),
    starts_at: Timestamp,
    ends_at: Timestamp.describe('The end; not to be shown afterwards.'),
    cta_text: z.string().nullable().describe('The label of the button; plain text.'),
    project: Project.describe('The promoted project.'),
  })
  .meta({ id: 'ShownPromotion' });
export type ShownPromotion = z.infer<typeof ShownPromotion>;

const days = integer(1, DAYS_MAX).describe(`1 to ${DAYS_MAX}.`);
const reason = optionalText(1000).optional().describe('Shown to the buyer.');

/** A promotion granted for free. */
export const PromotionGrant = z
  .object({
    project_id: Reference.describe('Id or slug of a live project.'),
    placements: Placements.describe('The placements.'),
    days: days.optional().describe(`The duration from now, 1 to ${DAYS_MAX} days; alternative to \`ends_at\`.`),
    ends_at: blankAsAbsent(TimestampInput).describe('The end; alternative to `days`.'),
    cta_text: cta_text.optional(),
  })
  .refine((grant) => (grant.days === undefined) !== (grant.ends_at === undefined), {
    error: 'must be given if ends_at is not, and only then',
    path: ['days'],
  })
  .meta({ id: 'PromotionGrant', oneOf: [{ required: ['days'] }, { required: ['ends_at'] }] });
export type PromotionGrant = z.infer<typeof PromotionGrant>;

export const PromotionAction = z
  .discriminatedUnion('action', [
    z.object({ action: z.literal('approve') }),
    z.object({ action: z.literal('extend'), days }),
    z.object({ action: z.literal('revoke'), reason }),
    z.object({ action: z.literal('set_end_date'), ends_at: TimestampInput }),
  ])
  .meta({ id: 'PromotionAction' });
export type PromotionAction = z.infer<typeof PromotionAction>;

export const list = defineRoute('promotions.list', {
  method: 'GET',
  path: '/api/promotions',
  summary: 'List active promotions',
  description:
    'Live projects only, newest promotion first. Report impressions and clicks with the routes of the promotion.',
  auth: 'public',
  tier: 'general',
  feature: 'promotions',
  query: z.object({ placement: Placement.optional().describe('Only promotions of this placement.'), ...paging(40) }),
  responses: { 200: page(ShownPromotion) },
  permissions: ['table:get', 'table:query'],
  cacheSeconds: 15,
});

const Counted = z.object({
  counted: z
    .boolean()
    .describe(
      'False for known bots, which are not counted. Repetitions within an hour are accepted, but counted once.',
    ),
});

const counting = {
  auth: 'public',
  tier: 'analytics',
  feature: 'promotions',
  visitor: true,
  responses: { 202: data(Counted) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get'],
  writes: ['tracked-events'],
} as const;

export const addImpression = defineRoute('promotions.addImpression', {
  ...counting,
  method: 'POST',
  path: '/api/promotions/{promotion}/impressions',
  summary: 'Report an impression of a promotion',
  description: 'For every display; counts once per visitor and hour. No body. 404 unless the promotion is active.',
});

export const addClick = defineRoute('promotions.addClick', {
  ...counting,
  method: 'POST',
  path: '/api/promotions/{promotion}/clicks',
  summary: 'Report a click on a promotion',
  description: 'For every click; counts once per visitor and hour. No body. 404 unless the promotion is active.',
});

export const mine = defineRoute('promotions.mine', {
  method: 'GET',
  path: '/api/user/promotions',
  summary: "List the caller's promotions",
  description: 'Newest first, every status. Unpaid promotions are among the checkouts.',
  auth: 'user',
  tier: 'general',
  feature: 'promotions',
  query: z.object(paging(40)),
  responses: { 200: page(Promotion) },
  permissions: ['table:get', 'table:collection'],
});

export const update = defineRoute('promotions.update', {
  method: 'PUT',
  path: '/api/user/promotions/{promotion}',
  summary: 'Update the call to action',
  description: 'For an own promotion that is pending or active.',
  auth: 'user',
  tier: 'auth',
  feature: 'promotions',
  body: z.object({ cta_text }).meta({ id: 'PromotionUpdate' }),
  responses: { 200: data(Promotion) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  permissions: ['table:get'],
  writes: ['promotions'],
});

const administration = { ...adminOnly, feature: 'promotions' } as const;

export const browse = defineRoute('promotions.browse', {
  ...administration,
  method: 'GET',
  path: '/api/admin/promotions',
  summary: 'List promotions',
  description: 'Newest first. Active and expired ones by default.',
  query: z.object({
    status: z
      .enum(['all', ...PromotionStatus.options])
      .optional()
      .describe('Only promotions of this status.'),
    project: z.string().optional().describe('Only promotions of this project, by id.'),
    ...paging(40),
  }),
  responses: { 200: page(Promotion) },
  permissions: ['table:get', 'table:query', 'table:collection'],
});

export const grant = defineRoute('promotions.grant', {
  ...administration,
  method: 'POST',
  path: '/api/admin/promotions',
  summary: 'Grant a promotion for free',
  description: 'Only a live project can be promoted. Active immediately; shown while the project is live.',
  body: PromotionGrant,
  idempotent: true,
  responses: { 201: data(Promotion) },
  failures: ['NOT_FOUND', 'SOLD_OUT', 'NOT_LIVE'],
  permissions: ['table:get', 'table:query'],
  writes: ['promotions', 'events'],
});

export const administer = defineRoute('promotions.administer', {
  ...administration,
  method: 'PUT',
  path: '/api/admin/promotions/{promotion}',
  summary: 'Approve, extend, revoke or end a promotion',
  description: [
    '`approve` activates a pending promotion; its months start now.',
    '`extend` adds days to an active promotion, or restarts an expired one from now.',
    '`revoke` ends a promotion now; a pending one is refunded.',
    '`set_end_date` changes the end: a past time ends the promotion, a future time restarts an expired one.',
    'Approving and prolonging need a live project. No promotion can end later than three years from now.',
  ].join(' '),
  body: PromotionAction,
  responses: { 200: data(Promotion) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION', 'SOLD_OUT', 'NOT_LIVE'],
  permissions: ['table:get', 'table:query'],
  writes: ['promotions', 'events'],
});
