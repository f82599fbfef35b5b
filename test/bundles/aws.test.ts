import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CALLS_FOLDER } from '#test/support/aws-calls.ts';
import { type Aws, serveAws } from './aws.ts';

/** The simulated AWS denies calls that a role does not allow, and the simulated runtime reports missing modules. */

const UNUSED_PORT = 'http://127.0.0.1:9';
const SECRET = '/directory/dev/cron-secret';

let aws: Aws;

beforeAll(async () => {
  // These calls are not made by a handler and are not recorded.
  delete process.env[CALLS_FOLDER];
  aws = await serveAws({
    dynamodb: UNUSED_PORT,
    events: UNUSED_PORT,
    ses: UNUSED_PORT,
    kms: UNUSED_PORT,
    parameters: { [SECRET]: 'known' },
    modelText: '',
  });
});

afterAll(async () => {
  await aws.stop();
});

/** The SDK configuration of a handler. */
const as = (handler: string) => ({
  endpoint: aws.url,
  region: 'eu-central-1',
  maxAttempts: 1,
  credentials: { accessKeyId: handler, secretAccessKey: 'nothing' },
});

it('the simulated AWS returns a secret only to a role that can read it', async () => {
  const getSecret = (handler: string) => new SSMClient(as(handler)).send(new GetParameterCommand({ Name: SECRET }));
  expect((await getSecret('cron.refreshTrending')).Parameter?.Value).toBe('known');
  await expect(getSecret('webhooks.stripe')).rejects.toMatchObject({ name: 'AccessDeniedException' });
  expect(aws.denied.at(-1)).toContain('webhooks.stripe');
});

it('the simulated AWS limits a role for user records to their key prefix', async () => {
  const read = (handler: string, pk: string) =>
    new DynamoDBClient(as(handler)).send(
      new GetItemCommand({ TableName: 'directory', Key: { pk: { S: pk }, sk: { S: 'X' } } }),
    );
  await expect(read('users.readProfile', 'CHECKOUT#chk_1')).rejects.toMatchObject({ name: 'AccessDeniedException' });
  // This call is forwarded to an unused port.
  await expect(read('users.readProfile', 'USER#u')).rejects.not.toMatchObject({ name: 'AccessDeniedException' });
});

it('the simulated runtime reports a module that is missing from a bundle', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bare-'));
  try {
    const file = join(folder, 'index.mjs');
    writeFileSync(file, "import 'zod'; export const handler = async () => 1;");
    const { output } = spawnSync(process.execPath, [join(import.meta.dirname, 'runtime.ts'), file], {
      env: {},
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      input: JSON.stringify({ event: {}, context: { seconds: 1 } }),
      encoding: 'utf8',
    });
    expect(output[3]).toContain("Cannot find package 'zod'");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
