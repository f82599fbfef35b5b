import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { type Message, readMessage } from './catalogue.ts';

/**
 * The message that a record of the table's stream brings.
 * @throws when the item is not a message of the catalogue.
 */
export const messageOf = (record: DynamoDBRecord): Message => {
  const image = record.dynamodb?.NewImage ?? {};
  const { id, kind, occurred_at, actor_id, data } = unmarshall(image as Record<string, AttributeValue>);
  return readMessage({ id, kind, occurred_at, actor_id, data });
};
