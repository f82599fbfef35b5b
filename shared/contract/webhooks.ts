import * as z from 'zod';
import { data, page } from './envelope.ts';
import { eventKindNames } from './events.ts';
import { line, paging, Timestamp, WebUrl } from './fields.ts';
import { defineRoute } from './route.ts';

/** A webhook as administrators see it; its secret is shown when it is made and at no other time. */
export const Webhook = z
  .object({
    id: z.string().describe('`whk_` and a ULID.'),
    url: z.string().describe('Where events are sent.'),
    kinds: z.array(z.string()).describe('Which events are sent.'),
    description: z.string().nullable(),
    is_active: z.boolean().describe('Whether anything is sent.'),
    failing_since: Timestamp.nullable().describe('The first of the failures that no success has interrupted.'),
    disabled_at: Timestamp.nullable().describe('When it was switched off because nothing got through for five days.'),
    previous_secret_expires_at: Timestamp.nullable().describe(
      'Until when messages are also signed with the secret before the last rotation.',
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

const WebhookWithSecret = Webhook.extend({
  secret: z.string().describe('`whsec_` and 32 bytes in base64, for checking signatures. It is not shown again.'),
}).meta({ id: 'WebhookWithSecret' });

const blankAsNull = z.literal('').transform(() => null);

const fields = {
  url: WebUrl.describe(
    'An https address that leads to the public internet. Addresses of Discord and Slack get a message that they understand.',
  ),
  kinds: z
    .array(z.enum(eventKindNames, { error: 'must be a kind of event' }))
    .min(1, { error: 'must name at least one kind of event' })
    .max(100, { error: 'must name at most 100 kinds of events' })
    .overwrite((kinds) => [...new Set(kinds)]),
  description: z.union([blankAsNull, line(1, 200).nullable()]).optional(),
  is_active: z.boolean().optional().describe('On when absent.'),
} as const;

export const WebhookBody = z.object(fields).meta({ id: 'WebhookBody' });
export type WebhookBody = z.infer<typeof WebhookBody>;

export const WebhookUpdate = z
  .object({ ...fields, url: fields.url.optional(), kinds: fields.kinds.optional() })
  .meta({ id: 'WebhookUpdate' });
export type WebhookUpdate = z.infer<typeof WebhookUpdate>;

const Attempt = z
  .object({
    at: Timestamp,
    ok: z.boolean().describe('Whether the answer was a 2xx.'),
    status: z.int().nullable().describe('What was answered; null when nothing was.'),
    duration_ms: z.int().min(0),
    response: z.string().nullable().describe('The first 1024 bytes of the answer.'),
    error: z.string().nullable().describe('Why it failed; null when it did not.'),
  })
  .meta({ id: 'WebhookAttempt' });
export type Attempt = z.infer<typeof Attempt>;

/** How an event fared on its way to a webhook. */
export const Delivery = z
  .object({
    id: z.string().describe('`dlv_` and the ULID of the event.'),
    webhook_id: z.string(),
    event_id: z.string().describe('What the receiver sees as `webhook-id`, the same in every attempt.'),
    kind: z.string(),
    state: z
      .enum(['pending', 'delivered', 'failed', 'cancelled'])
      .describe('`failed`: all tries are used up. `cancelled`: the webhook was switched off meanwhile.'),
    attempts: z.array(Attempt).describe('Oldest first; the last 20.'),
    next_attempt_at: Timestamp.nullable().describe('Null unless it is pending.'),
    created_at: Timestamp,
  })
  .meta({ id: 'WebhookDelivery' });
export type Delivery = z.infer<typeof Delivery>;

const common = { auth: 'admin', tier: 'admin', feature: 'webhooks' } as const;
const SENDING_SECONDS = 20;

export const list = defineRoute('webhooks.list', {
  ...common,
  method: 'GET',
  path: '/api/admin/webhooks',
  summary: 'List the webhooks',
  description: 'Oldest first, without their secrets.',
  query: z.object(paging(40)),
  replies: { 200: page(Webhook) },
  needs: ['table:query'],
});

export const create = defineRoute('webhooks.create', {
  ...common,
  method: 'POST',
  path: '/api/admin/webhooks',
  summary: 'Create a webhook',
  description:
    'Events are sent as Standard Webhooks describes: signed with the secret that this answer shows for the only time. Addresses that do not lead to the public internet are refused, now and whenever something is sent.',
  // The address of a chat's webhook is its password.
  confidential: ['url'],
  body: WebhookBody,
  replies: { 201: data(WebhookWithSecret) },
  needs: ['table:write'],
});

export const read = defineRoute('webhooks.read', {
  ...common,
  method: 'GET',
  path: '/api/admin/webhooks/{webhook}',
  summary: 'Read a webhook',
  replies: { 200: data(Webhook) },
  failures: ['NOT_FOUND'],
  needs: ['table:get'],
});

export const update = defineRoute('webhooks.update', {
  ...common,
  method: 'PUT',
  path: '/api/admin/webhooks/{webhook}',
  summary: 'Change a webhook',
  description: 'What is absent stays. Switching it on again forgets earlier failures.',
  // The address of a chat's webhook is its password.
  confidential: ['url'],
  body: WebhookUpdate,
  replies: { 200: data(Webhook) },
  failures: ['NOT_FOUND'],
  needs: ['table:get', 'table:write'],
});

export const remove = defineRoute('webhooks.remove', {
  ...common,
  method: 'DELETE',
  path: '/api/admin/webhooks/{webhook}',
  summary: 'Delete a webhook',
  description: 'Nothing more is sent to it, also of what was waiting.',
  replies: { 200: data(z.object({ id: z.string(), deleted: z.literal(true) })) },
  failures: ['NOT_FOUND'],
  needs: ['table:write'],
});

export const rotate = defineRoute('webhooks.rotate', {
  ...common,
  method: 'POST',
  path: '/api/admin/webhooks/{webhook}/rotate',
  summary: 'Give a webhook a new secret',
  description:
    'For 24 hours messages carry a signature of the new and one of the previous secret, so that a receiver can change over. The new secret is not shown again.',
  replies: { 200: data(WebhookWithSecret) },
  failures: ['NOT_FOUND'],
  needs: ['table:get', 'table:write'],
});

export const test = defineRoute('webhooks.test', {
  ...common,
  method: 'POST',
  path: '/api/admin/webhooks/{webhook}/test',
  summary: 'Send a ping to a webhook',
  description:
    'Sends an event of the kind `ping` at once, also while the webhook is switched off, and answers how it went. It is tried once and does not appear among the deliveries.',
  replies: { 200: data(Attempt.extend({ event_id: z.string() }).meta({ id: 'WebhookPing' })) },
  failures: ['NOT_FOUND'],
  needs: ['table:get'],
  timeoutSeconds: SENDING_SECONDS,
});

export const listDeliveries = defineRoute('webhooks.listDeliveries', {
  ...common,
  method: 'GET',
  path: '/api/admin/webhooks/{webhook}/deliveries',
  summary: 'List the deliveries of a webhook',
  description: 'By event, newest first; they are kept for 30 days.',
  query: z.object(paging(40)),
  replies: { 200: page(Delivery) },
  failures: ['NOT_FOUND'],
  needs: ['table:get', 'table:query'],
});

export const replay = defineRoute('webhooks.replay', {
  ...common,
  method: 'POST',
  path: '/api/admin/webhooks/{webhook}/deliveries/{delivery}/replay',
  summary: 'Send an event again',
  description:
    'At once, whatever has become of it, with the `webhook-id` of the first time. When it fails, the retries begin anew.',
  replies: { 200: data(Delivery) },
  failures: ['NOT_FOUND'],
  needs: ['table:get', 'table:write'],
  timeoutSeconds: SENDING_SECONDS,
});
