import * as z from 'zod';
import { type EventKind, eventKindNames, eventKinds } from '#contract/events.ts';
import { Timestamp } from '#contract/fields.ts';
import type { Schemas } from './schemas.ts';
import type { Operation } from './visible.ts';

export const webhookHeaders = {
  'webhook-id': {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: "The event's id, identical in every attempt: ignore duplicates.",
    schema: { type: 'string' },
  },
  'webhook-timestamp': {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'The time of this attempt in seconds since the epoch: reject requests older than five minutes.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  'webhook-signature': {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      '`v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<raw body>`; two signatures, separated by a space, for a day after a rotation.',
    schema: { type: 'string' },
  },
};

const pascal = (kind: string): string => `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;

const payloadOf = (kind: EventKind) =>
  z
    .object({
      type: z.literal(kind),
      timestamp: Timestamp.describe('When the event occurred.'),
      id: z.string().describe('`evt_` and a ULID.'),
      actor_id: z.string().nullable().describe('The user who caused the event; null for the service.'),
      data: eventKinds[kind],
    })
    .meta({ id: `${pascal(kind)}Payload` });

/** `projectSubmitted` is `Project submitted`. */
const titleOf = (kind: string): string => pascal(kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));

export const eventWebhooks = (schemas: Schemas): Record<string, Record<string, Operation>> =>
  Object.fromEntries(
    eventKindNames.map((kind) => {
      const operation = {
        operationId: `webhooks.on${pascal(kind)}`,
        tags: ['webhooks'],
        summary: titleOf(kind),
        description: `${eventKinds[kind].description ?? ''} Sent to the webhooks that name this kind, signed according to Standard Webhooks, at least once.`,
        parameters: Object.keys(webhookHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: schemas.of(payloadOf(kind), 'output') } },
        },
        responses: {
          200: { description: 'Any 2xx within ten seconds accepts the event.' },
          '4XX': { description: 'Any other response is a failure, and the event is sent again later.' },
        },
        // The signature is the authentication; receivers need no credential of this service.
        security: [],
      };
      return [kind, { post: operation }];
    }),
  );
