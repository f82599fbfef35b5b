import { createHmac, randomBytes } from 'node:crypto';
import type { Attempt } from '#contract/webhooks.ts';
import type { WebhookMessage, WebhookRecord } from '#model/webhook.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { postOutbound } from '#platform/outbound.ts';
import { payloadFor } from './payload.ts';

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
