import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';

/**
 * A function for docs/first-deployment.md, which runs it with the role of `PUT /api/user/profile`. It shows whether
 * DynamoDB evaluates the conditions of the role, alone and in transactions. It writes nothing: every write has a condition
 * that no item fulfils, which DynamoDB evaluates only after it has authorized the write.
 */

const TableName = process.env.TABLE_NAME;
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

const ConditionExpression = 'attribute_exists(pk)';
const user = { TableName, Key: { pk: 'USER#probe', sk: 'USER' }, ConditionExpression };
const setting = (attribute) => ({
  ...user,
  UpdateExpression: 'SET #attribute = :value',
  ExpressionAttributeNames: { '#attribute': attribute },
  ExpressionAttributeValues: { ':value': 'probe' },
});
const others = { TableName, Item: { pk: 'SETTINGS', sk: 'probe' }, ConditionExpression };
const together = (...TransactItems) => new TransactWriteCommand({ TransactItems });

const probes = [
  ['own attribute', 'allowed', new UpdateCommand(setting('name'))],
  ['other attribute', 'denied', new UpdateCommand(setting('is_admin'))],
  ['other key', 'denied', new PutCommand(others)],
  ['own attribute, in a transaction', 'allowed', together({ Update: setting('name') })],
  ['other attribute, in a transaction', 'denied', together({ Update: setting('is_admin') })],
  ['other key, in a transaction', 'denied', together({ Update: setting('name') }, { Put: others })],
];

const outcomeOf = async (command) => {
  try {
    await client.send(command);
  } catch (error) {
    if (error.name === 'AccessDeniedException') return 'denied';
    // The write was authorized, and then its condition failed.
    if (['ConditionalCheckFailedException', 'TransactionCanceledException'].includes(error.name)) return 'allowed';
    throw error;
  }
  throw new Error('The item of the probe exists. Delete it, and repeat.');
};

/** @returns for each probe what was expected and what happened. */
export const handler = async () => {
  const results = [];
  for (const [probe, expected, command] of probes) results.push({ probe, expected, outcome: await outcomeOf(command) });
  return results;
};
