import * as z from 'zod';
import { eventKinds } from '#contract/events.ts';
import { SOURCE } from '#events/catalogue.ts';

/** The catalogue of events as a page, made from their schemas. */

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

Generated from \`shared/contract/events.ts\` by \`npm run docs\`; changes belong there.

Every change that matters writes one event in the transaction of the change. An event is never lost, may be seen twice, and may
arrive later than one that happened after it: act once per \`id\`, and read the thing itself where the newest state counts. New kinds
and new members may come; what is here stays.

Each event has

| Member | Type | Meaning |
|---|---|---|
| \`id\` | string | \`evt_\` and a ULID: the same wherever and however often the event is seen |
| \`kind\` | string | One of the names below |
| \`occurred_at\` | time | ISO 8601 in UTC with milliseconds |
| \`actor_id\` | string or null | Who caused it; null for the service itself |
| \`data\` | object | What belongs to the kind, as below |

## Where events are seen

**On the bus.** Source \`${SOURCE}\`, detail-type the kind, detail the event as above. Rules match on the detail-type.

**In the ledger.** \`GET /api/admin/events?kind=&after=&limit=\` pages through the last 90 days, newest first.

**At a webhook.** \`POST /api/admin/webhooks\` says where to and which kinds. The body is
\`{ "type": kind, "timestamp": occurred_at, "id", "actor_id", "data" }\`, signed as
[Standard Webhooks](https://www.standardwebhooks.com) describes:

| Header | Value |
|---|---|
| \`webhook-id\` | The event's \`id\`, the same in every attempt: keep it and ignore what you have seen |
| \`webhook-timestamp\` | Seconds since the epoch of this attempt: refuse what is older than five minutes |
| \`webhook-signature\` | \`v1,\` and the base64 of HMAC-SHA256 over \`<webhook-id>.<webhook-timestamp>.<body as it came>\`; the key is what the secret has behind \`whsec_\`, decoded from base64. For a day after a rotation there are two, separated by a space: one that matches is enough |

A 2xx within ten seconds is success; redirects are not followed. What fails is tried again after 5 seconds, 5 minutes, 30 minutes,
2 hours and 8 hours. A webhook that nothing has got through to for five days is switched off, the administrators are mailed, and
\`webhookDisabled\` fires. Addresses of Discord and Slack get one line of text in place of the event. A ping has the type \`ping\`.`;

/** The text of \`docs/events.md\`. */
export const eventsPage = (): string =>
  `${[INTRODUCTION, ...Object.entries(eventKinds).map(([kind, schema]) => sectionOf(kind, schema))].join('\n\n')}\n`;
