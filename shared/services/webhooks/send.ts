import { createHmac, randomBytes } from 'node:crypto';
import type { Attempt } from '#contract/webhooks.ts';
import type { WebhookMessage, WebhookRecord } from '#model/webhook.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { postOutbound } from '#platform/outbound.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret in the format of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

/**
 * The signature of a message: `v1,` and the HMAC-SHA256 of id, timestamp and body in base64.
 * @param timestamp seconds since the epoch, as sent in `webhook-timestamp`.
 */
const signWebhook = (secret: string, id: string, timestamp: number, body: string): string => {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
};

/** What is kept of the request and the response of an attempt. */

const BODY_BYTES_MAX = 16 * 1024;
const REDACTED = '[redacted]';

/** The beginning of a text, without a character that the limit cuts. */
const beginningOf = (text: string): string => {
  const bytes = Buffer.from(text);
  return bytes.length <= BODY_BYTES_MAX
    ? text
    : new TextDecoder().decode(bytes.subarray(0, BODY_BYTES_MAX), { stream: true });
};

/** How a receiver may repeat a value: as it is, in JSON with escaped slashes, in a query string. */
const formsOf = (value: string): readonly string[] => [value, value.replaceAll('/', '\\/'), encodeURIComponent(value)];

const requestRecord = (headers: Readonly<Record<string, string>>, body: string): Attempt['request'] => ({
  headers: { ...headers, 'webhook-signature': REDACTED },
  body: beginningOf(body),
});

/** The response, in which a receiver may repeat what it was sent. @param confidential secrets and signatures, with prefixes. */
const responseRecord = (response: string | null, confidential: readonly string[]): string | null => {
  if (response === null) return null;
  // Also without the prefixes `whsec_` and `v1,`, which a receiver may omit.
  const values = confidential.flatMap((value) => [value, value.replace(/^(?:whsec_|v1,)/, '')]).flatMap(formsOf);
  return beginningOf(values.reduce((text, value) => text.replaceAll(value, REDACTED), response));
};

type Format = 'standard' | 'discord' | 'slack';

const DISCORD_HOST = /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/;
const SLACK_HOST = /^hooks\.slack(?:-gov)?\.com$/;

const formatFor = (url: string): Format => {
  const host = URL.parse(url)?.hostname ?? '';
  if (DISCORD_HOST.test(host)) return 'discord';
  return SLACK_HOST.test(host) ? 'slack' : 'standard';
};

// Chats have many readers, so chat messages contain no personal data and no user content except the public name and
// address of a listing.
/** In words by default: `webhookDisabled` is `Webhook disabled`. */
const summaries: Readonly<Partial<Record<WebhookMessage['kind'], string>>> = {
  projectSubmitted: 'Waits for review',
  projectApproved: 'Approved',
  projectScheduled: 'Approved for later',
  projectRejected: 'Not accepted',
  projectUpdated: 'Changed',
  revisionSubmitted: 'An edit waits for review',
  revisionApproved: 'Edit approved',
  revisionRejected: 'Edit not accepted',
  projectDeleted: 'Deleted',
  commentCreated: 'New comment',
  promotionActivated: 'Promotion activated',
  promotionExpired: 'Promotion ended',
  promotionRevoked: 'Promotion revoked',
  paymentSettled: 'Payment received',
  paymentRefunded: 'Payment refunded',
  userBanned: 'User banned',
  keyCreated: 'API key created',
  keyRevoked: 'API key revoked',
  batchReverted: 'Batch reverted',
  ruleApplied: 'Decided by a rule',
  webhookDisabled: 'Webhook switched off',
  ping: 'Test message',
};

/** Undefined for an empty text too, which is what an erased user leaves. */
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const inWords = (kind: string): string => {
  const words = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** One line: the site, what happened, and the name and address of the listing if there is one. */
const chatLine = (
  { kind, data }: WebhookMessage,
  siteName: string,
  escapeText: (value: string) => string,
  link: (url: string) => string,
): string => {
  const name = textOf(data.name);
  // The normalized form has no spaces and no brackets that could end the link.
  const url = URL.parse(textOf(data.url) ?? '')?.href;
  const listing = [...(name === undefined ? [] : [escapeText(name)]), ...(url === undefined ? [] : [link(url)])];
  return `${escapeText(siteName)} · ${summaries[kind] ?? inWords(kind)}${listing.length > 0 ? `: ${listing.join(' ')}` : ''}`;
};

/** Escapes Discord's formatting, mentions and masked links. */
const escapeForDiscord = (value: string): string => value.replace(/[\\*_~`|>#[\]()<@]/g, '\\$&');

const discordPayload = (message: WebhookMessage, siteName: string): string =>
  JSON.stringify({
    content: chatLine(message, siteName, escapeForDiscord, (url) => `<${url}>`),
    allowed_mentions: { parse: [] },
  });

/** Escapes the three control characters of Slack, without which there are no links, mentions or commands. */
const escapeForSlack = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const slackPayload = (message: WebhookMessage, siteName: string): string =>
  JSON.stringify({ text: chatLine(message, siteName, escapeForSlack, escapeForSlack), unfurl_links: false });

const standardPayload = (message: WebhookMessage): string =>
  JSON.stringify({
    type: message.kind,
    timestamp: message.occurred_at,
    id: message.id,
    actor_id: message.actor_id,
    data: message.data,
  });

/** The body of a message in the format of the receiver. Deterministic, so every attempt sends the same bytes. */
export const payloadFor = (url: string, message: WebhookMessage, siteName: string): string => {
  switch (formatFor(url)) {
    case 'discord':
      return discordPayload(message, siteName);
    case 'slack':
      return slackPayload(message, siteName);
    case 'standard':
      return standardPayload(message);
  }
};

const errorOf = (status: number | null, error: string | null): string | null => {
  if (status === null) return error ?? 'No response.';
  if (status >= 200 && status <= 299) return null;
  return status >= 300 && status <= 399
    ? `Responded with status ${status}; redirects are not followed.`
    : `Responded with status ${status}.`;
};

/**
 * Sends a message once, signed with each of the secrets. Never throws for a failure of the receiver.
 * @param secrets in plain text.
 */
export const sendMessage = async (
  webhook: WebhookRecord,
  secrets: readonly string[],
  message: WebhookMessage,
): Promise<Attempt> => {
  const at = now();
  if (secrets.length === 0) {
    return {
      at,
      ok: false,
      status: null,
      duration_ms: 0,
      request: null,
      response: null,
      error: 'The secret is unreadable: rotate it.',
    };
  }
  const timestamp = Math.floor(Date.parse(at) / 1000);
  const body = payloadFor(webhook.url, message, environment().siteName);
  const signatures = secrets.map((secret) => signWebhook(secret, message.id, timestamp, body));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Directory-Webhooks/1',
    'webhook-id': message.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
  const { status, duration_ms, response, ...failure } = await postOutbound({ url: webhook.url, headers, body });
  const error = errorOf(status, failure.error);
  return {
    at,
    ok: error === null,
    status,
    duration_ms,
    request: requestRecord(headers, body),
    response: responseRecord(response, [...secrets, ...signatures]),
    error,
  };
};
