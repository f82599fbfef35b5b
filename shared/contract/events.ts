import * as z from 'zod';
import { ScopeName } from './api-keys.ts';
import { BatchKind } from './batches.ts';
import { ClaimMethod } from './claims.ts';
import { cursorPage, cursorParameters, data, logFilters, Timestamp } from './fields.ts';
import { AMOUNT_UNIT } from './money.ts';
import { Plan, RuleAction, Status } from './projects.ts';
import { defineRoute, forAdmins } from './route.ts';

const ProjectId = z.string().describe('`prj_` and a ULID.');
const UserId = z.string().describe("The identity provider's subject.");

const ProjectEventData = z.object({
  project_id: ProjectId.describe('The project, `prj_` and a ULID.'),
  slug: z.string().describe('The slug at that time.'),
  name: z.string().describe('The name at that time.'),
  url: z.string().describe("The listed site's address."),
  plan: Plan.describe('The plan at that time.'),
  status: Status.describe('The status after the change.'),
  owner_id: UserId.describe('The owner of the project.'),
});

const RevisionEventData = ProjectEventData.extend({
  revision_id: z.string().describe('The revision, `rev_` and a ULID.'),
  fields: z.array(z.string()).describe('Names of the fields that wait.'),
});

const PromotionEventData = z.object({
  promotion_id: z.string().describe('The promotion, `prm_` and a ULID.'),
  project_id: ProjectId.describe('The promoted project.'),
  user_id: UserId.describe('The owner of the promotion.'),
  placements: z.array(z.enum(['banner', 'catalog', 'detail'])).describe('The placements of the promotion.'),
  starts_at: Timestamp.describe('The start of the promotion.'),
  ends_at: Timestamp.describe('The end of the promotion.'),
});

const PaymentEventData = z.object({
  checkout_id: z.string().describe('The paid checkout.'),
  purpose: z.enum(['submission', 'upgrade', 'promotion']).describe('The purpose of the payment.'),
  project_id: ProjectId.nullable().describe('The project that the payment is for; null when there is none.'),
  user_id: UserId.describe('The paying user.'),
  amount: z.int().min(0).describe(`Amount ${AMOUNT_UNIT}.`),
  currency: z.string().describe('ISO 4217 in lower case, such as `usd`.'),
});

const VotesEventData = z.object({
  project_id: ProjectId.describe('The project of the votes.'),
  case_id: z.string().describe('The case of the votes, `vca_` and a ULID.'),
  votes: z.int().min(0).describe('The number of votes in the case.'),
});

const ClaimEventData = z.object({
  claim_id: z.string().describe('The claim, `clm_` and a ULID.'),
  project_id: ProjectId.describe('The claimed project.'),
  user_id: UserId.describe('The user who made the claim.'),
  method: ClaimMethod.describe('How control of the host is proven.'),
});

const KeyEventData = z.object({
  key_id: z.string().describe('The API key, `key_` and a ULID.'),
  name: z.string().describe('The name of the key; empty once the administrator who caused the event is erased.'),
});

/**
 * The published event kinds and the schemas of their data. New kinds and members may be added; existing ones stay, because
 * subscribers rely on them and the event log holds 90 days of them.
 */
export const eventKinds = {
  projectSubmitted: ProjectEventData.describe('A project was submitted or resubmitted for moderation.'),
  projectApproved: ProjectEventData.describe('A pending project went live.'),
  projectScheduled: ProjectEventData.extend({
    publish_at: Timestamp.describe('When it becomes public.'),
  }).describe('A pending project was approved and becomes public later.'),
  projectRejected: ProjectEventData.extend({
    reason: z.string().nullable().describe("The administrator's reason, or null."),
  }).describe('A pending project was rejected.'),
  projectUpdated: ProjectEventData.extend({
    changed: z.array(z.string()).describe('Names of the fields that changed.'),
  }).describe('Fields of a project changed.'),
  revisionSubmitted: RevisionEventData.describe(
    'An edit of a live project waits for approval, or was merged into one that waits.',
  ),
  revisionApproved: RevisionEventData.extend({
    applied: z.array(z.string()).describe('Names of the fields that were published.'),
  }).describe('A waiting edit was approved, entirely or in part.'),
  revisionRejected: RevisionEventData.extend({
    reason: z.string().nullable().describe("The administrator's reason; null once the administrator is erased."),
  }).describe('A waiting edit was rejected.'),
  projectDeleted: ProjectEventData.extend({
    permanent: z.boolean().describe('False while an administrator can restore it.'),
  }).describe('A project was deleted.'),
  commentCreated: z
    .object({
      comment_id: z.string().describe('The comment, `cmt_` and a ULID.'),
      project_id: ProjectId.describe('The project of the comment.'),
      user_id: UserId.describe('The author of the comment.'),
      content: z.string().describe('The comment as written: plain text, not escaped.'),
    })
    .describe('A comment was added to a project.'),
  promotionActivated: PromotionEventData.describe('A promotion was activated; it is shown between its dates.'),
  promotionExpired: PromotionEventData.describe('A promotion expired.'),
  promotionRevoked: PromotionEventData.extend({
    reason: z.string().nullable().describe('The reason, or null.'),
  }).describe('A promotion was revoked before its end.'),
  paymentSettled: PaymentEventData.describe('A payment was received and the purchase was fulfilled.'),
  paymentRefunded: PaymentEventData.extend({
    reason: z.enum(['refund', 'dispute']).describe('The cause of the refund.'),
    amount_refunded: z.int().min(0).describe('The total refunded so far, in the smallest unit of `refund_currency`.'),
    refund_currency: z
      .string()
      .optional()
      .describe(
        'ISO 4217 in lower case: that of the refunds, or else of the payment. Absent in events of earlier versions.',
      ),
  }).describe('A payment was refunded or disputed, in part or in full.'),
  userBanned: z
    .object({
      user_id: UserId.describe('The banned user.'),
      reason: z.string().nullable().describe("The administrator's reason, or null."),
    })
    .describe('A user was banned from writing.'),
  keyCreated: KeyEventData.extend({
    scopes: z.array(ScopeName).describe('What the key may be used for.'),
    expires_at: Timestamp.nullable().describe('The end of the key; null for none.'),
  }).describe('An API key was created.'),
  keyRevoked: KeyEventData.describe('An API key was revoked.'),
  batchReverted: z
    .object({
      batch_id: z.string().describe('The reverted batch, `bat_` and a ULID.'),
      revert_id: z.string().describe('The batch of the revert.'),
      kind: BatchKind.describe('The kind of the reverted batch.'),
      reverted: z.int().min(0).describe('The number of projects that are as they were before.'),
      kept: z.int().min(0).describe('The number of projects that were touched since and kept, entirely or in part.'),
    })
    .describe('A batch was reverted.'),
  ruleApplied: ProjectEventData.extend({
    rule_id: z.string().describe('The rule, `rul_` and a ULID.'),
    rule_name: z.string().describe('Its name at that time.'),
    rule_version: z.int().min(1).describe('Its version at that time.'),
    action: RuleAction.describe('What was done with the submission.'),
    has_failed: z.boolean().describe('Whether the rule could not be evaluated, so that the submission was held.'),
  }).describe('A rule was applied to a submission.'),
  claimOpened: ClaimEventData.describe('A user claimed a project.'),
  projectClaimed: ProjectEventData.extend({
    claim_id: z.string().describe('The applied claim, `clm_` and a ULID.'),
    method: ClaimMethod.describe('How control of the host was proven.'),
    previous_owner_id: UserId.describe('The owner until then.'),
  }).describe('A claim was applied: the user who made it owns the project.'),
  claimRejected: ClaimEventData.extend({
    reason: z.string().nullable().describe('The reason, or null.'),
  }).describe('A claim was rejected by an administrator, or because another claim of the project was applied.'),
  votesHeld: VotesEventData.describe('Votes of a listing were taken out of its count.'),
  votesReleased: VotesEventData.describe('Held votes of a listing count again.'),
  webhookDisabled: z
    .object({
      webhook_id: z.string().describe('The webhook, `whk_` and a ULID.'),
      host: z.string().describe('The host of the webhook URL; the rest of the URL can be a secret.'),
      failing_since: Timestamp.describe('The time of the first failure since the last success.'),
    })
    .describe('A webhook was disabled after five days of failures.'),
} as const satisfies Record<string, z.ZodObject>;

export type EventKind = keyof typeof eventKinds;

export type EventData<K extends EventKind> = z.infer<(typeof eventKinds)[K]>;

/** All event kinds, in the order of the reference. */
export const eventKindNames = Object.keys(eventKinds) as [EventKind, ...EventKind[]];

/** An event as stored in the event log and published on the bus. */
export type LoggedEvent = {
  readonly [Kind in EventKind]: {
    readonly id: string;
    readonly kind: Kind;
    readonly occurred_at: string;
    readonly actor_id: string | null;
    readonly data: EventData<Kind>;
  };
}[EventKind];

const eventOf = (kind: EventKind) =>
  z
    .object({
      id: z.string().describe('`evt_` and a ULID.'),
      kind: z.literal(kind),
      occurred_at: Timestamp,
      actor_id: z.string().nullable().describe('The user who caused the event; null for the service.'),
      data: eventKinds[kind],
    })
    .meta({ id: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Event` });

export const LoggedEvent = z.discriminatedUnion(
  'kind',
  eventKindNames.map(eventOf) as unknown as [ReturnType<typeof eventOf>],
) as unknown as z.ZodType<LoggedEvent, LoggedEvent>;

export const list = defineRoute('events.list', {
  method: 'GET',
  path: '/api/admin/events',
  summary: 'Read the event log',
  description:
    'Newest first, for the last 90 days. Following `meta.nextAfter` returns every event once, also while new ones arrive. Erased users appear as `erased`, without their words. With a filter, a page may be short, or empty, while `hasMore` is true.',
  ...forAdmins('events:read'),
  query: z.object({
    kind: z.enum(eventKindNames, { error: 'must be a kind of event' }).optional().describe('Only events of this kind.'),
    ...logFilters('`project:prj_…`, `user:…` or `webhook:whk_…`'),
    ...cursorParameters('evt'),
  }),
  responses: { 200: cursorPage(LoggedEvent) },
  permissions: ['table:get', 'table:query', 'table:collection', 'table:feed'],
});

const SubscriberOutcome = z.object({
  id: z.string().describe('The subscription, such as `mail.notifySubmitter`.'),
  summary: z.string().describe('What it does with events.'),
  state: z
    .enum(['done', 'failed', 'skipped', 'none'])
    .describe('`skipped`: its feature is off. `none`: no run has ended yet.'),
  at: Timestamp.nullable().describe('The end of the latest run.'),
  runs: z.int().min(0).describe('How often it ran; the bus repeats failed runs, and may repeat others.'),
  error: z.string().nullable().describe('The name of the error of a failed run; the log has the rest.'),
});

export const EventDetail = z
  .object({
    id: z.string().describe('`evt_` and a ULID.'),
    kind: z.enum(eventKindNames),
    occurred_at: Timestamp,
    actor_id: z.string().nullable().describe('The user who caused the event; null for the service.'),
    data: z.looseObject({}).describe('The same as in the list; its members depend on the kind.'),
    subscribers: z.array(SubscriberOutcome).describe('Every subscriber of events of this kind.'),
    deliveries: z
      .array(
        z.object({
          id: z.string().describe('`dlv_` and a ULID.'),
          webhook_id: z.string(),
          state: z.enum(['pending', 'delivered', 'failed', 'cancelled']),
          attempts: z.int().min(0),
          next_attempt_at: Timestamp.nullable(),
        }),
      )
      .describe('The deliveries to webhooks, kept for 30 days.'),
  })
  .meta({ id: 'EventDetail' });
export type EventDetail = z.infer<typeof EventDetail>;

export const read = defineRoute('events.read', {
  method: 'GET',
  path: '/api/admin/events/{event}',
  summary: 'Read an event with the results of its subscribers',
  description: 'For 90 days. The result of a subscriber is that of its latest run, or of the first that succeeded.',
  ...forAdmins('events:read'),
  responses: { 200: data(EventDetail) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query'],
});
