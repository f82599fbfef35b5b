import * as z from 'zod';
import { Timestamp, wholeNumber } from './fields.ts';
import { Plan, Status } from './projects.ts';
import { defineRoute } from './route.ts';

const ProjectId = z.string().describe('`prj_` and a ULID.');
const UserId = z.string().describe("The identity provider's subject.");

/** What every event about a project says of it. */
const ProjectFacts = z.object({
  project_id: ProjectId.describe('The project, `prj_` and a ULID.'),
  slug: z.string().describe('Its slug at that moment.'),
  name: z.string().describe('Its name at that moment.'),
  url: z.string().describe("The listed site's address."),
  plan: Plan.describe('Its plan at that moment.'),
  status: Status.describe('Its status after the change.'),
  owner_id: UserId.describe('Whose project it is.'),
});

/** What every event about a promotion says of it. */
const PromotionFacts = z.object({
  promotion_id: z.string().describe('The promotion, `prm_` and a ULID.'),
  project_id: ProjectId.describe('The promoted project.'),
  user_id: UserId.describe('Whose promotion it is.'),
  placements: z.array(z.enum(['banner', 'catalog', 'detail'])).describe('Where the project is shown.'),
  starts_at: Timestamp.describe('From when it is shown.'),
  ends_at: Timestamp.describe('Until when it is shown.'),
});

/** What every event about a payment says of it. */
const PaymentFacts = z.object({
  checkout_id: z.string().describe('The checkout that was paid.'),
  purpose: z.enum(['submission', 'upgrade', 'promotion']).describe('What was bought.'),
  project_id: ProjectId.nullable().describe('The project that it was bought for; null where there is none.'),
  user_id: UserId.describe('Who paid.'),
  amount: z.int().min(0).describe("In the currency's smallest unit, such as cents."),
  currency: z.string().describe('Three small letters, such as `usd`.'),
});

/**
 * Everything that other systems are told, with the data that comes with it. New kinds and new members may be added; what
 * is here stays, because others rely on it and the ledger holds 90 days of it.
 */
export const eventKinds = {
  projectSubmitted: ProjectFacts.describe('A project waits for moderation, new or again.'),
  projectApproved: ProjectFacts.describe('A pending project went live.'),
  projectRejected: ProjectFacts.extend({
    reason: z.string().nullable().describe('What the administrator wrote; null when nothing.'),
  }).describe('A pending project was turned down.'),
  projectUpdated: ProjectFacts.extend({
    changed: z.array(z.string()).describe('Names of the fields that changed.'),
  }).describe('Fields of a project changed.'),
  projectDeleted: ProjectFacts.extend({
    permanent: z.boolean().describe('False while an administrator can restore it.'),
  }).describe('A project was deleted.'),
  commentCreated: z
    .object({
      comment_id: z.string().describe('The comment, `cmt_` and a ULID.'),
      project_id: ProjectId.describe('What was commented on.'),
      user_id: UserId.describe('Who commented.'),
      content: z.string().describe('The comment as it was written: plain text, not escaped.'),
    })
    .describe('Somebody commented on a project.'),
  promotionActivated: PromotionFacts.describe('A promotion was activated; it is shown between its dates.'),
  promotionExpired: PromotionFacts.describe('The time of a promotion is over.'),
  promotionRevoked: PromotionFacts.extend({
    reason: z.string().nullable().describe('Why; null when nothing was said.'),
  }).describe('A promotion was ended before its time; it is shown no more.'),
  paymentSettled: PaymentFacts.describe('A payment came in and what it bought was delivered.'),
  paymentRefunded: PaymentFacts.extend({
    reason: z.enum(['refund', 'dispute']).describe('Whether it was given back or reclaimed.'),
    amount_refunded: z.int().min(0).describe('How much went back in all so far, in the same unit as `amount`.'),
  }).describe('A payment was given back or reclaimed, in part or in full.'),
  userBanned: z
    .object({
      user_id: UserId.describe('Who was banned.'),
      reason: z.string().nullable().describe('What the administrator wrote; null when nothing.'),
    })
    .describe('A user was banned from writing.'),
  webhookDisabled: z
    .object({
      webhook_id: z.string().describe('The webhook, `whk_` and a ULID.'),
      host: z.string().describe('The host of its address; the rest of an address may be a secret.'),
      failing_since: Timestamp.describe('When the first of the failures was that no success has interrupted.'),
    })
    .describe('A webhook was switched off because nothing got through to it for five days.'),
} as const satisfies Record<string, z.ZodObject>;

/** The name of an event. */
export type EventKind = keyof typeof eventKinds;

/** All names, in the order of the reference. */
export const eventKindNames = Object.keys(eventKinds) as [EventKind, ...EventKind[]];

/** An event as the ledger and the bus tell it. */
export type LedgerEvent = {
  readonly [Kind in EventKind]: {
    readonly id: string;
    readonly kind: Kind;
    readonly occurred_at: string;
    readonly actor_id: string | null;
    readonly data: z.infer<(typeof eventKinds)[Kind]>;
  };
}[EventKind];

const eventOf = (kind: EventKind) =>
  z
    .object({
      id: z.string().describe('`evt_` and a ULID.'),
      kind: z.literal(kind),
      occurred_at: Timestamp,
      actor_id: z.string().nullable().describe('Who caused it; null for the service itself.'),
      data: eventKinds[kind],
    })
    .meta({ id: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Event` });

/** One event of any kind. */
export const LedgerEvent = z.discriminatedUnion(
  'kind',
  eventKindNames.map(eventOf) as unknown as [ReturnType<typeof eventOf>],
) as unknown as z.ZodType<LedgerEvent, LedgerEvent>;

export const list = defineRoute('events.list', {
  method: 'GET',
  path: '/api/admin/events',
  summary: 'Read the ledger of events',
  description:
    'Newest first, through the last 90 days. Follow `meta.nextAfter` to the end: nothing is shown twice or left out while new events arrive.',
  auth: 'admin',
  tier: 'admin',
  query: z.object({
    kind: z.enum(eventKindNames, { error: 'must be a kind of event' }).optional().describe('Only events of this kind.'),
    after: z
      .string({ error: 'must be given once' })
      .trim()
      .regex(/^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/, { error: 'must be the id of an event' })
      .optional()
      .describe('Continues behind the event with this id.'),
    limit: wholeNumber(1, 100).default(40).describe('Events per page.'),
  }),
  replies: {
    200: z.object({
      data: z.array(LedgerEvent),
      meta: z.object({
        nextAfter: z.string().nullable().describe('What to send as `after` for the next page; null on the last one.'),
        hasMore: z.boolean().describe('Whether another page follows.'),
        pageSize: z.int().min(1).max(100).describe('How many events a full page has.'),
      }),
    }),
  },
  needs: ['table:get', 'table:query', 'table:collection'],
});
