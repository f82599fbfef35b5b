import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, expect, it } from 'vitest';
import { findItem } from '#data/read.ts';
import { CALLS_FOLDER, readCalls, runAsHandler } from '#test/support/aws-calls.ts';

Object.assign(process.env, { TABLE_NAME: 'table', AWS_REGION: 'us-east-1' });

const table = mockClient(DynamoDBDocumentClient);
const folder = mkdtempSync(join(tmpdir(), 'recorded-reads-'));
afterAll(() => {
  table.restore();
  rmSync(folder, { recursive: true });
});

it('reads of two handlers in one batch are recorded for the handler that asked', async () => {
  table.onAnyCommand().resolves({ Responses: {} });
  const recordedTo = process.env[CALLS_FOLDER];
  process.env[CALLS_FOLDER] = folder;
  try {
    await Promise.all([
      runAsHandler('projects.read', () => findItem({ pk: 'PROJECT#prj_1', sk: 'PROJECT' })),
      runAsHandler('users.readProfile', () => findItem({ pk: 'USER#usr_1', sk: 'USER' })),
    ]);
  } finally {
    if (recordedTo === undefined) delete process.env[CALLS_FOLDER];
    else process.env[CALLS_FOLDER] = recordedTo;
  }
  expect(table.calls()).toHaveLength(1);
  const prefixes = [...readCalls(folder)].map(([handler, calls]) => [
    handler,
    ...new Set(calls.map((call) => call.leadingKey)),
  ]);
  expect(prefixes).toEqual([
    ['projects.read', 'PROJECT#'],
    ['users.readProfile', 'USER#'],
  ]);
});
