import type { Attempt } from '#contract/webhooks.ts';
import type { WebhookMessage, WebhookRecord } from '#model/webhook.ts';
import { now } from '#platform/clock.ts';
import { postOutbound } from '#platform/outbound.ts';
import { settings } from '#platform/settings.ts';
import { signWebhook } from '#platform/webhook-signature.ts';
import { requestRecord, responseRecord } from './attempt-record.ts';
import { payloadFor } from './payload.ts';

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
  const body = payloadFor(webhook.url, message, settings().siteName);
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
