import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLS_FOLDER } from '#test/support/aws-calls.ts';
import { type Aws, serveAws } from './aws.ts';

/** That the rehearsal would notice: its AWS refuses what a role does not allow, its runtime says what a bundle misses. */

const NOWHERE = 'http://127.0.0.1:9';
const SECRET = '/directory/dev/cron-secret';

let aws: Aws;

beforeAll(async () => {
  // What is asked here is asked on purpose, and by no door.
  delete process.env[CALLS_FOLDER];
  aws = await serveAws({
    dynamodb: NOWHERE,
    events: NOWHERE,
    ses: NOWHERE,
    parameters: { [SECRET]: 'known' },
    words: '',
  });
});

afterAll(async () => {
  await aws.stop();
});

/** How the functions of a door reach AWS. */
const as = (door: string) => ({
  endpoint: aws.url,
  region: 'eu-central-1',
  maxAttempts: 1,
  credentials: { accessKeyId: door, secretAccessKey: 'nothing' },
});

describe('the stand-in for AWS', () => {
  it('gives a secret to the role that may read it and to no other', async () => {
    const ask = (door: string) => new SSMClient(as(door)).send(new GetParameterCommand({ Name: SECRET }));
    expect((await ask('cron.refreshTrending')).Parameter?.Value).toBe('known');
    await expect(ask('webhooks.stripe')).rejects.toMatchObject({ name: 'AccessDeniedException' });
    expect(aws.denied.at(-1)).toContain('webhooks.stripe');
  });

  it('lets a role that keeps the records of users read nothing else', async () => {
    const read = (door: string, pk: string) =>
      new DynamoDBClient(as(door)).send(
        new GetItemCommand({ TableName: 'directory', Key: { pk: { S: pk }, sk: { S: 'X' } } }),
      );
    await expect(read('users.readProfile', 'CHECKOUT#chk_1')).rejects.toMatchObject({ name: 'AccessDeniedException' });
    // This one is handed on, to where nobody is.
    await expect(read('users.readProfile', 'USER#u')).rejects.not.toMatchObject({ name: 'AccessDeniedException' });
  });
});

describe('the bare runtime', () => {
  it('says which module a bundle misses', () => {
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
});
