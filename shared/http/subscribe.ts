import middy from '@middy/core';
import type { Context, EventBridgeEvent } from 'aws-lambda';
import { eventKinds } from '#contract/events.ts';
import { recordOutcome } from '#data/event-log.ts';
import { type Message, parseMessage } from '#events/catalogue.ts';
import type { Subscription } from '#events/subscriptions.ts';
import { environment } from '#platform/environment.ts';
import { log, loggable, RunFailed } from '#platform/log.ts';

export type Delivery = EventBridgeEvent<string, unknown>;

/** A Lambda handler for deliveries. When it throws, the bus delivers the event again. */
type DeliveryHandler = (event: Delivery, context?: unknown) => Promise<void>;

/**
 * Logs one line per delivery with its outcome and without its data, which may be personal. Errors are replaced by
 * `RunFailed`, because the Lambda runtime logs thrown errors with all their properties; so this must be the outermost
 * wrapper.
 * @param id the subscription.
 * @param describe returns the log context of a delivery.
 */
export const withDeliveryLog =
  (
    id: string,
    describe: (event: Delivery) => Readonly<Record<string, unknown>>,
    work: (event: Delivery, context: Context) => Promise<unknown>,
  ): DeliveryHandler =>
  async (event, context) => {
    const request_id = (context as Partial<Context> | undefined)?.awsRequestId;
    const logContext = { subscription: id, request_id, ...describe(event) };
    try {
      await work(event, context as Context);
      log.info('delivered', logContext);
    } catch (error) {
      log.error('delivery failed', { ...logContext, error: loggable(error) });
      throw new RunFailed(id, error);
    }
  };

const describeMessage = ({ 'detail-type': kind, detail }: Delivery) => ({
  kind,
  message_id: (detail as { id?: unknown } | null)?.id,
});

/**
 * Records the result of a run for an event, which administrators see. Tasks have no results. A failure to record does not fail
 * the run.
 */
const record = async (
  subscriber: string,
  { id, kind }: Pick<Message, 'id' | 'kind'>,
  error?: unknown,
): Promise<void> => {
  if (!(kind in eventKinds)) return;
  try {
    await recordOutcome(id, subscriber, error === undefined ? null : loggable(error).name);
  } catch (failure) {
    log.warn('the result of a delivery could not be recorded', { subscription: subscriber, error: loggable(failure) });
  }
};

/**
 * Creates the handler of a subscription: validates the message, skips it while the feature is off, and records the result.
 * A message may be delivered more than once, so the work must be idempotent.
 */
export const subscribe = <const S extends Subscription>(
  subscription: S,
  run: (message: Message<S['kinds'][number]>) => Promise<void>,
): DeliveryHandler => {
  const { id, feature } = subscription;
  const wrapped = middy<Delivery, void>().handler(async (event, context) => {
    if (feature && !environment().features[feature]) {
      log.info('skipped: the feature is off', { subscription: id, request_id: context?.awsRequestId, feature });
      return;
    }
    const message = parseMessage(event.detail) as Message<S['kinds'][number]>;
    try {
      await run(message);
    } catch (error) {
      await record(id, message, error);
      throw error;
    }
    await record(id, message);
  });
  return withDeliveryLog(id, describeMessage, wrapped);
};
