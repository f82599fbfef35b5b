import type { EventDetail } from '#contract/events.ts';
import { outcomesOf } from '#data/event-outcomes.ts';
import { EVENT_SLACK_MS, findEvent } from '#data/events.ts';
import { allWebhooks, findDelivery } from '#data/webhooks.ts';
import { type Subscription, subscriptions } from '#events/subscriptions.ts';
import { monthsBack } from '#model/days.ts';
import { deliveryIdOf } from '#model/delivery.ts';
import { timeOfId } from '#platform/ids.ts';
import { settings } from '#platform/settings.ts';
import { notFound } from '#shared/errors.ts';

const EVENT_ID = /^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** An event of the ledger with the results of its subscribers and its deliveries to webhooks. @throws 404. */
export const readEvent = async (eventId: string): Promise<EventDetail> => {
  if (!EVENT_ID.test(eventId)) throw notFound();
  const createdMs = timeOfId(eventId);
  const event = await findEvent(eventId, monthsBack(createdMs + EVENT_SLACK_MS, createdMs - EVENT_SLACK_MS));
  if (!event) throw notFound();
  const [outcomes, webhooks] = await Promise.all([outcomesOf(eventId), allWebhooks()]);
  const deliveries = await Promise.all(webhooks.map(({ id }) => findDelivery(id, deliveryIdOf(eventId))));
  const all: readonly Subscription[] = subscriptions;
  return {
    ...event,
    subscribers: all
      .filter(({ kinds }) => kinds.includes(event.kind))
      .map(({ id, summary, feature }) => {
        const outcome = outcomes.get(id);
        const isOff = feature !== undefined && !settings().features[feature];
        const missing = isOff ? 'skipped' : 'none';
        return {
          id,
          summary,
          state: outcome ? (outcome.error === null ? 'done' : 'failed') : missing,
          at: outcome?.at ?? null,
          runs: outcome?.runs ?? 0,
          error: outcome?.error ?? null,
        };
      }),
    deliveries: deliveries
      .filter((delivery) => delivery !== undefined)
      .map(({ id, webhook_id, state, attempts, next_attempt_at }) => ({
        id,
        webhook_id,
        state,
        attempts: attempts.length,
        next_attempt_at,
      })),
  };
};
