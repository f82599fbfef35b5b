import middy, { type MiddlewareObj, type Request } from '@middy/core';
import type { EventBridgeEvent } from 'aws-lambda';
import { log } from '#platform/log.ts';
import { loggable, RunFailed } from '#platform/loggable.ts';
import { settings } from '#platform/settings.ts';
import { type Message, readMessage } from './catalogue.ts';
import type { Subscription } from './subscriptions.ts';

/** A Lambda handler for messages of the bus. */
export type Subscriber = (event: EventBridgeEvent<string, unknown>, context?: unknown) => Promise<void>;

type Delivery = Request<EventBridgeEvent<string, unknown>, void>;

/** Writes one line per delivery: which message, how it went. Nothing of what it says, which may be about people. */
const line = (subscription: Subscription): MiddlewareObj => {
  const about = ({ event, context }: Delivery) => ({
    subscription: subscription.id,
    request_id: (context as { awsRequestId?: string } | undefined)?.awsRequestId,
    kind: event['detail-type'],
    message_id: (event.detail as { id?: unknown } | null)?.id,
  });
  return {
    after: (request: Delivery) => log.info('delivered', about(request)),
    onError: (request: Delivery) => log.error('delivery failed', { ...about(request), ...loggable(request.error) }),
  } as unknown as MiddlewareObj;
};

/**
 * Makes the door of a subscription. What it throws makes the bus deliver the message again, and a message may come twice
 * in any case: the work must not act twice.
 * @param ports what the work needs from outside, as plain functions.
 */
export const subscribe = <const S extends Subscription, Ports>(
  subscription: S,
  ports: Ports,
  run: (message: Message<S['kinds'][number]>, ports: Ports) => Promise<void>,
): Subscriber => {
  const door = middy<EventBridgeEvent<string, unknown>, void>()
    .use(line(subscription) as MiddlewareObj<EventBridgeEvent<string, unknown>, void>)
    .handler(async (event, context) => {
      const { feature } = subscription;
      if (feature && !settings().features[feature]) {
        const { id } = subscription;
        log.info('skipped: the feature is off', { subscription: id, request_id: context?.awsRequestId, feature });
        return;
      }
      await run(readMessage(event.detail) as Message<S['kinds'][number]>, ports);
    }) as unknown as Subscriber;
  return async (event, context) => {
    try {
      await door(event, context);
    } catch (error) {
      throw new RunFailed(subscription.id, error);
    }
  };
};
