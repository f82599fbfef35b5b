import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { countRequest } from '#data/rate-counter.ts';

const table = mockClient(DynamoDBDocumentClient);
afterAll(() => table.restore());

beforeEach(() => {
  table.reset();
  vi.stubEnv('TABLE_NAME', 'directory');
});

const count = () => countRequest({ tier: 'general', bucket: 'caller', window: 1, endsAt: 60 });
const failure = (name: string, more: object) => Object.assign(new Error(name), { name, $metadata: {}, ...more });

it('a request is counted when the connection broke while the process was frozen', async () => {
  table
    .on(UpdateCommand)
    .rejectsOnce(failure('Error', { code: 'ECONNRESET' }))
    .resolves({ Attributes: { count: 7 } });
  expect(await count()).toBe(7);
  expect(table.commandCalls(UpdateCommand)).toHaveLength(2);
});

it('a request is not counted again when the table refuses it', async () => {
  table.on(UpdateCommand).rejects(failure('ProvisionedThroughputExceededException', {}));
  await expect(count()).rejects.toThrow('ProvisionedThroughputExceededException');
  expect(table.commandCalls(UpdateCommand)).toHaveLength(1);
});
