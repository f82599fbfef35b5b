import * as z from 'zod';
import { data, page } from './envelope.ts';
import { line, paging, Reference, Timestamp, TimestampInput, text } from './fields.ts';
import { Placement } from './placement.ts';
import { Project } from './projects.ts';
import { defineRoute } from './route.ts';

/**
 * `pending_payment`: its checkout is open. `pending`: paid, its places are held, an administrator has not approved it yet.
 * `active`: its time runs. `expired`: its time is over. `revoked`: an administrator or the money's return has ended it.
 */
export const PromotionStatus = z.enum(['pending_payment', 'pending', 'active', 'expired', 'revoked']);
export type PromotionStatus = z.infer<typeof PromotionStatus>;

/** The most days that are granted or added at once. */
export const DAYS_MAX = 365;
/** The longest call to action, in characters. */
const CTA_MAX = 20;

const cta_text = z
  .union([z.literal('').transform(() => null), line(1, CTA_MAX).nullable()])
  .describe('What the button says; none when null or empty.');

/** A promotion as its buyer and administrators see it. */
export const Promotion = z
  .object({
    id: z.string().describe('`prm_` and a ULID.'),
    project_id: z.string().describe('What is promoted.'),
    user_id: z.string().describe('Whose promotion it is: its buyer, of a granted one the owner of the project.'),
    placements: z.array(Placement).describe('Where it is shown.'),
    status: PromotionStatus.describe('By its dates at this moment.'),
    starts_at: Timestamp.nullable().describe('From when it is shown; null until it is activated.'),
    ends_at: Timestamp.nullable().describe('Until when it is shown; null until it is activated.'),
    months: z.int().min(1).nullable().describe('For how long it was bought, from its activation; null when granted.'),
    cta_text: z.string().nullable().describe('What the button says; plain text.'),
    price: z
      .int()
      .min(0)
      .describe('What was paid, in the smallest unit of the currency, such as cents; 0 when granted.'),
    currency: z.string().describe('ISO 4217 in lower case.'),
    impressions: z.int().min(0).describe('How often it was seen, by people.'),
    clicks: z.int().min(0).describe('How often it was followed, by people.'),
    reason: z.string().nullable().describe('Why it was revoked; null otherwise.'),
    created_at: Timestamp,
  })
  .meta({ id: 'Promotion' });
export type Promotion = z.infer<typeof Promotion>;

/** A promotion as a shop window shows it. */
export const ShownPromotion = z
  .object({
    id: z.string().describe('`prm_` and a ULID; impressions and clicks are reported for it.'),
    placements: z.array(Placement).describe('Where it is shown.'),
    starts_at: Timestamp,
    ends_at: Timestamp.describe('Not to be shown from this moment on.'),
    cta_text: z.string().nullable().describe('What the button says; plain text.'),
    project: Project.describe('What is promoted.'),
  })
  .meta({ id: 'ShownPromotion' });
export type ShownPromotion = z.infer<typeof ShownPromotion>;

const days = z.int().min(1).max(DAYS_MAX).describe(`1 to ${DAYS_MAX}.`);
const reason = text(0, 1000).optional().describe('Its buyer sees it.');

/** What an administrator grants for free. */
export const PromotionGrant = z
  .object({
    project_id: Reference.describe('Id or slug of a project that is not deleted.'),
    placements: z
      .array(Placement)
      .min(1, { error: 'must name at least one placement' })
      .max(20)
      .transform((all) => [...new Set(all)])
      .describe('Where it is shown.'),
    days: days.optional().describe(`For how long from now, 1 to ${DAYS_MAX} days; this or \`ends_at\`.`),
    ends_at: TimestampInput.optional().describe('Until when; this or `days`.'),
    cta_text: cta_text.optional(),
  })
  .refine((grant) => (grant.days === undefined) !== (grant.ends_at === undefined), {
    error: 'give either days or ends_at',
    path: ['days'],
  })
  .meta({ id: 'PromotionGrant' });
export type PromotionGrant = z.infer<typeof PromotionGrant>;

/** What an administrator does to a promotion. */
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
  summary: 'List what is promoted now',
  description:
    'Only live projects, newest promotion first. Report what was seen and followed with its impressions and clicks.',
  auth: 'public',
  tier: 'general',
  feature: 'promotions',
  query: z.object({ placement: Placement.optional(), ...paging(40) }),
  replies: { 200: page(ShownPromotion) },
  needs: ['table:query', 'catalog'],
  cacheSeconds: 15,
});

const Counted = z.object({
  counted: z.boolean().describe('False for known bots, which are not counted.'),
});

const counting = {
  auth: 'public',
  tier: 'analytics',
  feature: 'promotions',
  replies: { 202: data(Counted) },
  failures: ['NOT_FOUND'],
  needs: ['table:get', 'table:write'],
} as const;

export const addImpression = defineRoute('promotions.addImpression', {
  ...counting,
  method: 'POST',
  path: '/api/promotions/{promotion}/impressions',
  summary: 'Report that a promotion was seen',
  description: 'Once per time that it is shown to somebody. Takes no body. 404 unless it is shown now.',
});

export const addClick = defineRoute('promotions.addClick', {
  ...counting,
  method: 'POST',
  path: '/api/promotions/{promotion}/clicks',
  summary: 'Report that a promotion was followed',
  description: 'Once per click. Takes no body. 404 unless it is shown now.',
});

export const mine = defineRoute('promotions.mine', {
  method: 'GET',
  path: '/api/user/promotions',
  summary: "List the caller's promotions",
  description: 'Newest first, whatever their status. What is not paid yet stands among the checkouts.',
  auth: 'user',
  tier: 'general',
  feature: 'promotions',
  query: z.object(paging(40)),
  replies: { 200: page(Promotion) },
  needs: ['table:get', 'table:collection'],
});

export const update = defineRoute('promotions.update', {
  method: 'PUT',
  path: '/api/user/promotions/{promotion}',
  summary: 'Change what the button says',
  description: "Of one's own promotion, while it is pending or active.",
  auth: 'user',
  tier: 'auth',
  feature: 'promotions',
  body: z.object({ cta_text }).meta({ id: 'PromotionUpdate' }),
  replies: { 200: data(Promotion) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  needs: ['table:get', 'table:write'],
});

export const browse = defineRoute('promotions.browse', {
  method: 'GET',
  path: '/api/admin/promotions',
  summary: 'List promotions',
  description: 'Newest first. Active and expired ones unless `status` says otherwise.',
  auth: 'admin',
  tier: 'admin',
  feature: 'promotions',
  query: z.object({ status: z.enum(['all', ...PromotionStatus.options]).optional(), ...paging(40) }),
  replies: { 200: page(Promotion) },
  needs: ['table:get', 'table:query', 'table:collection'],
});

export const grant = defineRoute('promotions.grant', {
  method: 'POST',
  path: '/api/admin/promotions',
  summary: 'Grant a promotion for free',
  description: 'It is active at once, and shown as soon as the project is live.',
  auth: 'admin',
  tier: 'admin',
  feature: 'promotions',
  body: PromotionGrant,
  replies: { 201: data(Promotion) },
  failures: ['NOT_FOUND', 'SOLD_OUT'],
  needs: ['table:get', 'table:query', 'table:write'],
});

export const administer = defineRoute('promotions.administer', {
  method: 'PUT',
  path: '/api/admin/promotions/{promotion}',
  summary: 'Approve, extend, revoke or end a promotion',
  description: [
    '`approve` activates a pending promotion of a live project: its months run from now.',
    '`extend` adds days to an active one; an expired one runs again from now.',
    '`revoke` ends it now; the price of one that was still pending is given back.',
    '`set_end_date` moves its end: a time that has passed ends it now, a time to come lets an expired one run again.',
    'Nothing ends later than three years from now.',
  ].join(' '),
  auth: 'admin',
  tier: 'admin',
  feature: 'promotions',
  body: PromotionAction,
  replies: { 200: data(Promotion) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION', 'SOLD_OUT'],
  needs: ['table:get', 'table:query', 'table:write'],
});
