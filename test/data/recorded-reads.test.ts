import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, expect, it } from 'vitest';
import { findItem, findItems } from '#data/read.ts';
import { CALLS_FOLDER, readCalls, runAsHandler } from '#test/support/aws-calls.ts';

Object.assign(process.env, { TABLE_NAME: 'table', AWS_REGION: 'us-east-1' });

const table = mockClient(DynamoDBDocumentClient);
const folder = mkdtempSync(join(tmpdir(), 'recorded-reads-'));
afterAll(() => {
  table.restore();
  rmSync(folder, { recursive: true });
});

it('reads of several handlers in one batch are recorded as what each would call on its own', async () => {
  table.onAnyCommand().resolves({ Responses: {} });
  const recordedTo = process.env[CALLS_FOLDER];
  process.env[CALLS_FOLDER] = folder;
  try {
    await Promise.all([
      runAsHandler('projects.read', () => findItem({ pk: 'PROJECT#prj_1', sk: 'PROJECT' })),
      runAsHandler('users.list', () =>
        findItems([
          { pk: 'USER#usr_1', sk: 'USER' },
          { pk: 'COUNTS', sk: 'USER' },
        ]),
      ),
    ]);
    // Recorded at the end of this iteration of the event loop.
    await immediate();
  } finally {
    if (recordedTo === undefined) delete process.env[CALLS_FOLDER];
    else process.env[CALLS_FOLDER] = recordedTo;
  }
  expect(table.calls()).toHaveLength(1);
  const recorded = [...readCalls(folder)].map(([handler, calls]) => [
    handler,
    ...calls.map(({ action, leadingKey }) => `${action} ${leadingKey}`),
  ]);
  expect(recorded).toEqual([
    ['projects.read', 'dynamodb:GetItem PROJECT#'],
    ['users.list', 'dynamodb:BatchGetItem USER#', 'dynamodb:BatchGetItem COUNTS'],
  ]);
});
