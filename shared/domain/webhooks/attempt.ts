import type { Attempt } from '#contract/webhooks.ts';
import { message, type Workshop } from '#domain/messages.ts';
import type { Message } from '#events/catalogue.ts';
import { bodyFor, type Site } from './body.ts';
import { afterAttempt, cancelled, claimedAt, type DeliveryRecord, type Told } from './delivery.ts';
import { secretsAt, type WebhookRecord } from './webhook.ts';

/** What sending one message takes. */
export interface SendPorts {
  readonly now: () => string;
  readonly site: () => Site;
  /** The signature of a message in the form of Standard Webhooks; the time is in whole seconds. */
  readonly sign: (secret: string, id: string, timestamp: number, body: string) => string;
  /** Sends and waits; whatever the other side does is an answer and not an error. */
  readonly post: (request: { url: string; headers: Readonly<Record<string, string>>; body: string }) => Promise<{
    status: number | null;
    response: string | null;
    error: string | null;
    duration_ms: number;
  }>;
}

/** What an attempt at a delivery takes. */
export interface AttemptPorts extends SendPorts, Workshop {
  readonly findWebhook: (id: string) => Promise<WebhookRecord | undefined>;
  /** Whether the delivery was still as `previous`. */
  readonly replaceDelivery: (previous: DeliveryRecord, next: DeliveryRecord) => Promise<boolean>;
  readonly removeDelivery: (delivery: DeliveryRecord) => Promise<void>;
  /** Notes the first failure, unless one is noted already. */
  readonly noteFailing: (webhookId: string, since: string) => Promise<void>;
  readonly noteWorking: (webhookId: string) => Promise<void>;
  /** Switches a webhook off that still fails since that time, with the event that says so. */
  readonly disableWebhook: (webhookId: string, failingSince: string, at: string, event: Message) => Promise<void>;
}

/** After how long without any success a webhook is switched off, in milliseconds. */
const FAILING_MS = 5 * 24 * 3600 * 1000;

const errorOf = (status: number | null, error: string | null): string | null => {
  if (status === null) return error ?? 'There was no answer.';
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? `It answered ${status}; redirects are not followed.`
    : `It answered ${status}.`;
};

/** Sends a message to a webhook once, signed with every secret that holds now. */
export const sendTo = async (ports: SendPorts, webhook: WebhookRecord, told: Told): Promise<Attempt> => {
  const at = ports.now();
  const timestamp = Math.floor(Date.parse(at) / 1000);
  const body = bodyFor(webhook.url, told, ports.site());
  const answer = await ports.post({
    url: webhook.url,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Directory-Webhooks/1',
      'webhook-id': told.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': secretsAt(webhook, at)
        .map((secret) => ports.sign(secret, told.id, timestamp, body))
        .join(' '),
    },
    body,
  });
  const error = errorOf(answer.status, answer.error);
  return { at, ok: error === null, ...answer, error };
};

/** Keeps the account of whether anything gets through to a webhook, and switches it off when nothing does for too long. */
const keepAccount = async (
  ports: AttemptPorts,
  webhook: WebhookRecord,
  attempt: Attempt,
  isLast: boolean,
): Promise<void> => {
  const { failing_since: since } = webhook;
  if (attempt.ok) {
    if (since !== null) await ports.noteWorking(webhook.id);
    return;
  }
  if (since === null) {
    await ports.noteFailing(webhook.id, attempt.at);
    return;
  }
  // Only a delivery that has used up its tries counts: one bad moment a week after another is not five days of failure.
  const at = ports.now();
  if (!isLast || !webhook.is_active || Date.parse(at) - Date.parse(since) < FAILING_MS) return;
  const host = URL.parse(webhook.url)?.host ?? '';
  const event = message(ports, 'webhookDisabled', null, { webhook_id: webhook.id, host, failing_since: since });
  await ports.disableWebhook(webhook.id, since, at, event);
};

/**
 * Tries a delivery once. Of several processes at once one sends; one that dies while it sends leaves the delivery to be
 * taken over a minute later.
 * @param even whether it is sent although the webhook is switched off.
 * @returns the delivery afterwards; undefined when it was not for us to send: somebody else is at it, or the webhook is gone.
 */
export const attemptDelivery = async (
  ports: AttemptPorts,
  delivery: DeliveryRecord,
  even: { ifInactive: boolean } = { ifInactive: false },
): Promise<DeliveryRecord | undefined> => {
  const webhook = await ports.findWebhook(delivery.webhook_id);
  if (!webhook) {
    await ports.removeDelivery(delivery);
    return undefined;
  }
  if (!webhook.is_active && !even.ifInactive) {
    const given = cancelled(delivery);
    return (await ports.replaceDelivery(delivery, given)) ? given : undefined;
  }
  const claimed = claimedAt(delivery, ports.now());
  if (!(await ports.replaceDelivery(delivery, claimed))) return undefined;
  const attempt = await sendTo(ports, webhook, delivery.event);
  const next = afterAttempt(claimed, attempt, ports.now());
  // The account first: should the process die before the delivery is settled, the attempt is made again and nothing is lost.
  await keepAccount(ports, webhook, attempt, next.state === 'failed');
  return (await ports.replaceDelivery(claimed, next)) ? next : undefined;
};
