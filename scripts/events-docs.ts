import * as z from 'zod';
import { eventKinds } from '#contract/events.ts';
import { SOURCE } from '#events/catalogue.ts';

/** The part of a JSON Schema that is documented. */
interface Member {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: Member;
  readonly anyOf?: readonly Member[];
  readonly description?: string;
}

const typeOf = (member: Member): string => {
  if (member.anyOf) return member.anyOf.map(typeOf).join(' or ');
  if (member.enum) return member.enum.map((value) => `\`${value}\``).join(', ');
  if (member.type === 'array') return `list of ${member.items ? typeOf(member.items) : 'anything'}`;
  return member.format === 'date-time' ? 'time' : [member.type ?? 'anything'].flat().join(' or ');
};

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const sectionOf = (kind: string, schema: z.ZodObject): string => {
  const { description, properties = {} } = z.toJSONSchema(schema) as {
    description?: string;
    properties?: Record<string, Member>;
  };
  return [
    `## ${kind}`,
    description,
    [
      '| Member of `data` | Type | Meaning |',
      '|---|---|---|',
      ...Object.entries(properties).map(
        ([name, member]) => `| \`${name}\` | ${cell(typeOf(member))} | ${cell(member.description ?? '')} |`,
      ),
    ].join('\n'),
  ].join('\n\n');
};

const INTRODUCTION = `# Events

Generated from \`shared/contract/events.ts\` by \`npm run docs\`.

Events are written in the transaction of the change they describe. Delivery is at least once and unordered: process each \`id\` once,
and read the resource itself when the current state matters. New kinds and members may be added; existing ones are stable.

Each event has these members:

| Member | Type | Meaning |
|---|---|---|
| \`id\` | string | \`evt_\` and a ULID: identical for every delivery |
| \`kind\` | string | One of the names below |
| \`occurred_at\` | time | ISO 8601 in UTC with milliseconds |
| \`actor_id\` | string or null | User who caused it; null for the service itself |
| \`data\` | object | Depends on the kind, see below |

## Delivery

**On the bus.** Source \`${SOURCE}\`, detail-type the kind, detail the event as above. Rules match on the detail-type.

**In the event log.** \`GET /api/admin/events?kind=&after=&limit=\` pages through the last 90 days, newest first.

**At a webhook.** \`POST /api/admin/webhooks\` sets the address and the kinds. The body is
\`{ "type": kind, "timestamp": occurred_at, "id", "actor_id", "data" }\`, signed according to
[Standard Webhooks](https://www.standardwebhooks.com):

| Header | Value |
|---|---|
| \`webhook-id\` | The event's \`id\`, identical in every attempt: store it and ignore duplicates |
| \`webhook-timestamp\` | Time of this attempt in seconds since the epoch: reject requests older than five minutes |
| \`webhook-signature\` | \`v1,\` and the base64 of HMAC-SHA256 over \`<webhook-id>.<webhook-timestamp>.<raw body>\`; the key is the part of the secret after \`whsec_\`, decoded from base64. For a day after a rotation there are two signatures, separated by a space; one match is sufficient |

A 2xx response within ten seconds is success; redirects are not followed. Failed deliveries are retried after 5 seconds, 5 minutes,
30 minutes, 2 hours and 8 hours. A webhook without a successful delivery for five days is disabled, the administrators are notified
by email, and \`webhookDisabled\` is published. Discord and Slack addresses receive one line of text instead of the event, at
most 2,000 and 4,000 characters long: in place of an address that does not fit is its host. A ping has the type \`ping\`.

**Erased users.** Every attempt and replay at a webhook, and the log after the erasure, have \`erased\` in place of the id of an erased
user, null for an actor, an empty \`content\`, no \`reason\` by or about the user, and an empty name of an API key. Of a project that
was deleted with its owner \`project_id\` remains; \`name\`, \`slug\` and \`url\` are empty, also in \`projectDeleted\`. The bus has events
as they were published.`;

/** The text of \`docs/events.md\`. */
export const eventsPage = (): string =>
  `${[INTRODUCTION, ...Object.entries(eventKinds).map(([kind, schema]) => sectionOf(kind, schema))].join('\n\n')}\n`;
