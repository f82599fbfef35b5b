import * as z from 'zod';
import { eventKindNames } from './events.ts';
import {
  cursorPage,
  cursorParameters,
  data,
  deleted,
  optionalLine,
  page,
  paging,
  Timestamp,
  TimestampInput,
} from './fields.ts';
import { defineRoute, forAdmins } from './route.ts';
import { WebUrl } from './web-addresses.ts';

/** A webhook as visible to administrators. The secret is only in the response that creates or rotates it. */
export const Webhook = z
  .object({
    id: z.string().describe('`whk_` and a ULID.'),
    url: z.string().describe('The URL that receives events.'),
    kinds: z.array(z.string()).describe('The event kinds to send.'),
    description: z.string().nullable(),
    is_active: z.boolean().describe('Whether events are sent.'),
    failing_since: Timestamp.nullable().describe('The time of the first failure since the last success.'),
    disabled_at: Timestamp.nullable().describe('The time when it was disabled after five days of failures.'),
    previous_secret_expires_at: Timestamp.nullable().describe(
      'The end of the period in which messages are also signed with the previous secret.',
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

const WebhookWithSecret = Webhook.extend({
  secret: z.string().describe('`whsec_` and 32 bytes in base64, to verify signatures. It is not shown again.'),
}).meta({ id: 'WebhookWithSecret' });

const fields = {
  url: WebUrl.describe(
    'An https URL on the public internet; `localhost` and names under localhost, local, internal, home.arpa and onion are rejected. Discord and Slack URLs receive messages in their own format.',
  ),
  kinds: z
    .array(z.enum(eventKindNames, { error: 'must be a kind of event' }))
    .min(1, { error: 'must name at least one kind of event' })
    .max(100, { error: 'must name at most 100 kinds of events' })
    .overwrite((kinds) => [...new Set(kinds)]),
  description: optionalLine(200).optional(),
  is_active: z.boolean().optional().describe('Defaults to true.'),
} as const;

export const WebhookBody = z.object(fields).meta({ id: 'WebhookBody' });
export type WebhookBody = z.infer<typeof WebhookBody>;

export const WebhookUpdate = WebhookBody.partial().meta({ id: 'WebhookUpdate' });
export type WebhookUpdate = z.infer<typeof WebhookUpdate>;

const Attempt = z
  .object({
    at: Timestamp,
    ok: z.boolean().describe('Whether the response was a 2xx.'),
    status: z.int().nullable().describe('The response status; null without a response.'),
    duration_ms: z.int().min(0),
    request: z
      .object({
        headers: z.record(z.string(), z.string()).describe('The signature is redacted.'),
        body: z.string().describe('Its first 16 KB.'),
      })
      .nullable()
      .describe(
        'Null when nothing could be signed. Of a delivery whose bodies exceed 300 KB together, the oldest attempts lose theirs: `request` and `response` are null. So are those of attempts from before the erasure of a user whom the event names.',
      ),
    response: z
      .string()
      .nullable()
      .describe('The first 16 KB of the response, in which secret and signature are redacted; null without one.'),
    error: z.string().nullable().describe('The reason of a failure, or null.'),
  })
  .meta({ id: 'WebhookAttempt' });
export type Attempt = z.infer<typeof Attempt>;

const DeliveryState = z.enum(['pending', 'delivered', 'failed', 'cancelled']);

export const Delivery = z
  .object({
    id: z.string().describe('`dlv_` and the ULID of the event.'),
    webhook_id: z.string(),
    event_id: z.string().describe('The `webhook-id` header, the same in every attempt.'),
    kind: z.string(),
    state: DeliveryState.describe('`failed`: no attempts left. `cancelled`: the webhook was disabled.'),
    attempts: z.array(Attempt).describe('The last 20 attempts, oldest first.'),
    next_attempt_at: Timestamp.nullable().describe('Null unless the delivery is pending.'),
    created_at: Timestamp,
  })
  .meta({ id: 'WebhookDelivery' });
export type Delivery = z.infer<typeof Delivery>;

const common = {
  ...forAdmins('webhooks:write'),
  feature: 'webhooks',
} as const;
const SENDING_SECONDS = 20;

export const list = defineRoute('webhooks.list', {
  ...common,
  method: 'GET',
  path: '/api/admin/webhooks',
  summary: 'List the webhooks',
  description: 'Oldest first, without secrets.',
  query: z.object(paging(40)),
  responses: { 200: page(Webhook) },
  permissions: ['table:query'],
});

export const create = defineRoute('webhooks.create', {
  ...common,
  method: 'POST',
  path: '/api/admin/webhooks',
  summary: 'Create a webhook',
  description:
    'Events are sent according to Standard Webhooks, signed with the secret, which only this response contains. URLs outside the public internet are rejected, here and at each delivery.',
  // The URL of a chat webhook is its credential.
  confidential: ['url'],
  body: WebhookBody,
  idempotent: true,
  responses: { 201: data(WebhookWithSecret) },
  permissions: ['table:get', 'secrets:seal'],
  writes: ['webhooks'],
});

export const read = defineRoute('webhooks.read', {
  ...common,
  method: 'GET',
  path: '/api/admin/webhooks/{webhook}',
  summary: 'Read a webhook',
  description: 'Without its secret, which only creation and rotation return.',
  responses: { 200: data(Webhook) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get'],
});

export const update = defineRoute('webhooks.update', {
  ...common,
  method: 'PUT',
  path: '/api/admin/webhooks/{webhook}',
  summary: 'Update a webhook',
  description: 'Partial. Enabling it again resets earlier failures.',
  // The URL of a chat webhook is its credential.
  confidential: ['url'],
  body: WebhookUpdate,
  responses: { 200: data(Webhook) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'secrets:seal'],
  writes: ['webhooks'],
});

export const remove = defineRoute('webhooks.remove', {
  ...common,
  method: 'DELETE',
  path: '/api/admin/webhooks/{webhook}',
  summary: 'Delete a webhook',
  description: 'Pending deliveries are cancelled.',
  responses: { 200: deleted },
  failures: ['NOT_FOUND'],
  permissions: [],
  writes: ['webhooks'],
});

export const rotate = defineRoute('webhooks.rotate', {
  ...common,
  method: 'POST',
  path: '/api/admin/webhooks/{webhook}/rotate',
  summary: 'Rotate the secret of a webhook',
  description:
    'For 24 hours messages are signed with both the new and the previous secret. The new secret is not shown again.',
  responses: { 200: data(WebhookWithSecret) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'secrets:seal'],
  writes: ['webhooks'],
});

export const test = defineRoute('webhooks.test', {
  ...common,
  method: 'POST',
  path: '/api/admin/webhooks/{webhook}/test',
  summary: 'Send a ping to a webhook',
  description:
    'Sends a `ping` event immediately, also to a disabled webhook, and returns the result. It is not retried and not listed among the deliveries.',
  responses: { 200: data(Attempt.extend({ event_id: z.string() }).meta({ id: 'WebhookPing' })) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'secrets:open'],
  timeoutSeconds: SENDING_SECONDS,
});

export const listDeliveries = defineRoute('webhooks.listDeliveries', {
  ...common,
  method: 'GET',
  path: '/api/admin/webhooks/{webhook}/deliveries',
  summary: 'List the deliveries of a webhook',
  description:
    'By event, newest first; kept for 30 days. Following `meta.nextAfter` returns every delivery once, also while new ones arrive. A page may be shorter than `limit` when deliveries are large, or when few of many have the state.',
  query: z.object({
    state: DeliveryState.optional().describe('Only deliveries in this state.'),
    ...cursorParameters('dlv'),
  }),
  responses: { 200: cursorPage(Delivery) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query'],
});

export const replay = defineRoute('webhooks.replay', {
  ...common,
  method: 'POST',
  path: '/api/admin/webhooks/{webhook}/deliveries/{delivery}/replay',
  summary: 'Replay a delivery',
  description:
    'Sends the event immediately, whatever its state, with the original `webhook-id`, and without users who have been erased since. A failure restarts the retries.',
  responses: { 200: data(Delivery) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'secrets:open'],
  writes: ['webhooks', 'deliveries'],
  timeoutSeconds: SENDING_SECONDS,
});

export const replayFailed = defineRoute('webhooks.replayFailed', {
  ...common,
  method: 'POST',
  path: '/api/admin/webhooks/{webhook}/replay',
  summary: 'Replay the failed deliveries of a webhook',
  description:
    'Restarts every delivery without attempts left whose event is not older than `since`. Responds at once; the deliveries become `pending` in the background, oldest first, and are sent within a minute with all their retries. 409 `INVALID_TRANSITION` while the webhook is disabled.',
  body: z.object({ since: TimestampInput }).meta({ id: 'FailedReplay' }),
  responses: {
    202: data(
      z.object({ webhook_id: z.string(), since: Timestamp, requested_at: Timestamp }).meta({ id: 'RequestedReplay' }),
    ),
  },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  permissions: ['table:get'],
  writes: ['events'],
});

export const stripe = defineRoute('webhooks.stripe', {
  method: 'POST',
  path: '/api/webhooks/stripe',
  summary: 'Receive an event of the payment provider',
  description:
    'A Stripe event, signed over the raw body, at a time at most 5 minutes from now in either direction. Each event takes effect exactly once; unknown kinds are ignored. A signed body that is not an event is 400 `INVALID_INPUT`. Any status but 200 makes the provider retry.',
  auth: 'signature',
  tier: 'none',
  responses: { 200: data(z.object({ received: z.literal(true) })) },
  failures: ['INVALID_INPUT', 'PAYLOAD_TOO_LARGE', 'PAYMENTS_UNAVAILABLE'],
  permissions: ['table:get', 'table:query', 'table:collection', 'stripe'],
  writes: ['checkouts', 'payments', 'projects', 'slugs', 'drafts', 'promotions', 'events', 'audit', 'deduplication'],
});
