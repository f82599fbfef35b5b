import middy from '@middy/core';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { type Message, sourceOf } from '#events/catalogue.ts';
import { messageOf } from '#events/outbox.ts';
import { putOnBus } from '#platform/bus.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';

interface Outgoing {
  readonly sequenceNumber: string;
  readonly message: Message;
}

const outgoing = (record: DynamoDBRecord): Outgoing[] => {
  try {
    return [{ sequenceNumber: record.dynamodb?.SequenceNumber ?? '', message: messageOf(record) }];
  } catch (error) {
    // Trying again would not mend it and would hold up everything behind it.
    count('OutboxItemSkipped');
    log.error('an item of the outbox is not a message and is left out', {
      key: record.dynamodb?.Keys,
      error: error as Error,
    });
    return [];
  }
};

/**
 * Puts what the outbox has got on the bus. From the first message on that the bus did not take, the stream brings
 * everything again: order is kept and nothing is lost, but a message may go out twice.
 */
export const handler = middy<DynamoDBStreamEvent, DynamoDBBatchResponse>().handler(async (event) => {
  const all = event.Records.flatMap(outgoing);
  const refused = new Set(
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
  const first = all.find(({ message }) => refused.has(message.id));
  if (!first) return { batchItemFailures: [] };
  log.warn('the bus did not take everything', { refused: refused.size, of: all.length });
  return { batchItemFailures: [{ itemIdentifier: first.sequenceNumber }] };
});
