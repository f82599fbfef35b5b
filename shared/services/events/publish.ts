import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { messageOf } from '#data/event-log.ts';
import { type Message, sourceOf } from '#events/catalogue.ts';
import { putOnBus } from '#platform/eventbridge.ts';
import { log, loggable, RunFailed } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';

interface Outgoing {
  readonly sequenceNumber: string;
  readonly message: Message;
}

interface LogContext {
  readonly publisher: string;
  readonly request_id: string | undefined;
}

const messagesOf = (record: DynamoDBRecord, logContext: LogContext): Outgoing[] => {
  try {
    return [{ sequenceNumber: record.dynamodb?.SequenceNumber ?? '', message: messageOf(record) }];
  } catch (error) {
    // Skipped: a retry cannot succeed and would block all later items.
    count('OutboxItemSkipped');
    log.error('outbox item skipped: not a message', {
      ...logContext,
      key: record.dynamodb?.Keys,
      error: loggable(error),
    });
    return [];
  }
};

const publishAll = async (outgoing: readonly Outgoing[], logContext: LogContext): Promise<ReadonlySet<string>> => {
  try {
    return new Set(
      await putOnBus(
        outgoing.map(({ message }) => ({
          id: message.id,
          source: sourceOf(message.kind),
          kind: message.kind,
          detail: message,
          time: new Date(message.occurred_at),
        })),
      ),
    );
  } catch (error) {
    log.error('publishing failed', { ...logContext, error: loggable(error) });
    throw new RunFailed(logContext.publisher, error);
  }
};

/**
 * Publishes new outbox items to the event bus. From the first rejected message on, the stream delivers the batch again:
 * order is kept and nothing is lost, but a message may be published twice.
 */
export const publishMessages = async (
  records: readonly DynamoDBRecord[],
  requestId: string | undefined,
): Promise<DynamoDBBatchResponse> => {
  const logContext: LogContext = { publisher: 'events.publish', request_id: requestId };
  const outgoing = records.flatMap((record) => messagesOf(record, logContext));
  const rejected = await publishAll(outgoing, logContext);
  const firstRejected = outgoing.find(({ message }) => rejected.has(message.id));
  if (!firstRejected) {
    log.info('published', { ...logContext, messages: outgoing.length });
    return { batchItemFailures: [] };
  }
  log.warn('messages rejected by the bus', { ...logContext, rejected: rejected.size, of: outgoing.length });
  return { batchItemFailures: [{ itemIdentifier: firstRejected.sequenceNumber }] };
};
