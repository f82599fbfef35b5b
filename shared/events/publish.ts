import { eventPrefix } from '#data/keys.ts';
import { sourceOf } from './catalogue.ts';
import type { Subscription } from './subscriptions.ts';

/**
 * Which records of the table's stream start the publisher: new items of the outbox and nothing else, so that counters and
 * other changes wake nobody. In the form of a Lambda event filter.
 */
export const outboxFilter = {
  eventName: ['INSERT'],
  dynamodb: { Keys: { pk: { S: [{ prefix: eventPrefix }] } } },
} as const;

/** Which messages on the bus a subscription is given. In the form of an EventBridge event pattern. */
export const ruleOf = (subscription: Subscription): { source: string[]; 'detail-type': string[] } => ({
  source: [...new Set(subscription.kinds.map(sourceOf))],
  'detail-type': [...subscription.kinds],
});
