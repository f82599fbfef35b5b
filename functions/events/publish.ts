import middy from '@middy/core';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { type Message, sourceOf } from '#events/catalogue.ts';
import { messageOf } from '#events/outbox.ts';
import { putOnBus } from '#platform/bus.ts';
import { log } from '#platform/log.ts';
import { loggable, RunFailed } from '#platform/loggable.ts';
import { count } from '#platform/metrics.ts';

interface Outgoing {
  readonly sequenceNumber: string;
  readonly message: Message;
}

interface Said {
  readonly publisher: string;
  readonly request_id: string | undefined;
}

const outgoing = (record: DynamoDBRecord, said: Said): Outgoing[] => {
  try {
    return [{ sequenceNumber: record.dynamodb?.SequenceNumber ?? '', message: messageOf(record) }];
  } catch (error) {
    // Trying again would not mend it and would hold up everything behind it.
    count('OutboxItemSkipped');
    log.error('an item of the outbox is not a message and is left out', {
      ...said,
      key: record.dynamodb?.Keys,
      ...loggable(error),
    });
    return [];
  }
};

const putAll = async (all: readonly Outgoing[], said: Said): Promise<ReadonlySet<string>> => {
  try {
    return new Set(
      await putOnBus(
        all.map(({ message }) => ({
          id: message.id,
          source: sourceOf(message.kind),
          kind: message.kind,
          detail: message,
          time: new Date(message.occurred_at),
        })),
      ),
    );
  } catch (error) {
    log.error('publishing failed', { ...said, ...loggable(error) });
    throw new RunFailed(said.publisher, error);
  }
};

/**
 * Puts what the outbox has got on the bus. From the first message on that the bus did not take, the stream brings
 * everything again: order is kept and nothing is lost, but a message may go out twice.
 */
export const handler = middy<DynamoDBStreamEvent, DynamoDBBatchResponse>().handler(async (event, context) => {
  const said: Said = { publisher: 'events.publish', request_id: context?.awsRequestId };
  const all = event.Records.flatMap((record) => outgoing(record, said));
  const refused = await putAll(all, said);
  const first = all.find(({ message }) => refused.has(message.id));
  if (!first) {
    log.info('published', { ...said, messages: all.length });
    return { batchItemFailures: [] };
  }
  log.warn('the bus did not take everything', { ...said, refused: refused.size, of: all.length });
  return { batchItemFailures: [{ itemIdentifier: first.sequenceNumber }] };
});
