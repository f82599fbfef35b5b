import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { outboxFilter } from '#data/event-log.ts';
import { type Engine, startEngine } from '#local/engine.ts';
import { openCheckpoints, openJournal } from '#local/journal.ts';
import type { Pattern } from '#local/pattern.ts';
import { openStreamLog } from '#local/stream-log.ts';
import { pollStream, type StreamPoller, type StreamPollerOptions } from '#local/stream-poller.ts';
import { ensureTable } from '#local/table.ts';
import { openTableStream, type TableStream } from '#local/table-stream.ts';
import { sweepOnce } from '#local/ttl-sweeper.ts';
import { log } from '#platform/log.ts';
import { longTest } from '#test/support/long-test.ts';
import { until } from '#test/support/until.ts';

/** The stream poller, the TTL sweeper and the log trimmer on the embedded engine. */

log.setLogLevel('SILENT');

const folder = mkdtempSync(path.join(tmpdir(), 'stream-'));
const dbPath = path.join(folder, 'table.sqlite');
const ALL: Pattern = {};

let engine: Engine;
let client: DynamoDBClient;
let journal: DatabaseSync;
let poller: StreamPoller | undefined;
let table: string;
let stream: TableStream;
let number = 0;

beforeAll(async () => {
  engine = await startEngine(dbPath, path.join(folder, 'engine.json'));
  const config = {
    endpoint: engine.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'x', secretAccessKey: 'y' },
  };
  client = new DynamoDBClient(config);
  process.env.AWS_ENDPOINT_URL_DYNAMODB_STREAMS = engine.endpoint;
  process.env.AWS_REGION = config.region;
  process.env.AWS_ACCESS_KEY_ID = config.credentials.accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = config.credentials.secretAccessKey;
});

beforeEach(async () => {
  number += 1;
  table = `table-${number}`;
  stream = openTableStream((await ensureTable(client, table)).streamArn ?? '');
  journal = openJournal(path.join(folder, `journal-${number}.sqlite`));
});

afterEach(async () => {
  await poller?.stop();
  poller = undefined;
  journal.close();
});

afterAll(async () => {
  client.destroy();
  await engine.stop();
  rmSync(folder, { recursive: true, force: true });
});

const put = (pk: string, sk = 'x', more: PutItemCommand['input']['Item'] = {}) =>
  client.send(new PutItemCommand({ TableName: table, Item: { pk: { S: pk }, sk: { S: sk }, ...more } }));

type Deliver = (records: readonly DynamoDBRecord[]) => string | undefined;

/** @param deliver may return the sequence number of the first record that it rejects. */
const poll = (
  deliver: Deliver,
  filter: Pattern = ALL,
  swept = new Set<string>(),
  replaced: Partial<StreamPollerOptions> = {},
): StreamPoller => {
  poller = pollStream({
    stream,
    filter,
    checkpoints: openCheckpoints(journal),
    swept,
    deliver: async ({ Records }): Promise<DynamoDBBatchResponse> => {
      const rejected = deliver(Records);
      return { batchItemFailures: rejected === undefined ? [] : [{ itemIdentifier: rejected }] };
    },
    ...replaced,
  });
  return poller;
};

const keyOf = (record: DynamoDBRecord | undefined): string => record?.dynamodb?.Keys?.['pk']?.S ?? '';

it('the poller delivers records in order, in the format of Lambda', async () => {
  await put('a', 'x', {
    bytes: { B: new Uint8Array([1, 2, 3]) },
    deep: { L: [{ M: { sets: { BS: [new Uint8Array([255])] } } }] },
  });
  await client.send(
    new UpdateItemCommand({
      TableName: table,
      Key: { pk: { S: 'a' }, sk: { S: 'x' } },
      UpdateExpression: 'SET #n = :n REMOVE deep, bytes',
      ExpressionAttributeNames: { '#n': 'count' },
      ExpressionAttributeValues: { ':n': { N: '1' } },
    }),
  );
  await client.send(new DeleteItemCommand({ TableName: table, Key: { pk: { S: 'a' }, sk: { S: 'x' } } }));
  const seen: DynamoDBRecord[] = [];
  poll((records) => void seen.push(...records));
  await until(() => seen.length === 3);
  expect(seen.map(({ eventName }) => eventName)).toEqual(['INSERT', 'MODIFY', 'REMOVE']);
  expect(seen[0]).toMatchObject({
    eventSource: 'aws:dynamodb',
    eventVersion: '1.1',
    eventSourceARN: stream.arn,
    dynamodb: {
      Keys: { pk: { S: 'a' }, sk: { S: 'x' } },
      NewImage: { bytes: { B: 'AQID' }, deep: { L: [{ M: { sets: { BS: ['/w=='] } } }] } },
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
  });
  // Seconds since the epoch, by the clock of the engine.
  expect(String(seen[0]?.dynamodb?.ApproximateCreationDateTime)).toMatch(/^\d{10}(?:\.\d+)?$/);
  expect(seen[1]?.dynamodb?.OldImage).toHaveProperty('bytes', { B: 'AQID' });
  expect(seen[2]?.userIdentity).toBeUndefined();
});

it('the poller skips changes without effect', async () => {
  await put('a');
  await put('a');
  await put('b');
  const seen: DynamoDBRecord[] = [];
  poll((records) => void seen.push(...records));
  await until(() => seen.length >= 2);
  expect(seen.map(keyOf)).toEqual(['a', 'b']);
});

it('the poller delivers exactly the new items of the outbox', async () => {
  await put('PROJECT#1');
  for (let event = 0; event < 250; event += 1) await put('EVENTS#2026-11', `evt_${String(event).padStart(3, '0')}`);
  await put('EVENTS#2026-11', 'evt_000', { changed: { BOOL: true } });
  await put('RATE#1');
  const seen: string[] = [];
  const sizes: number[] = [];
  poll((records) => {
    sizes.push(records.length);
    seen.push(...records.map((record) => record.dynamodb?.Keys?.['sk']?.S ?? ''));
    return undefined;
  }, outboxFilter);
  await until(() => seen.length === 250);
  await put('EVENTS#2026-12', 'evt_999');
  await until(() => seen.length === 251);
  expect(seen).toEqual([...seen].sort());
  expect(new Set(seen).size).toBe(251);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
});

it('the poller retries from the first rejected record and loses none', async () => {
  for (const pk of ['a', 'b', 'c', 'd']) await put(pk);
  const accepted: string[] = [];
  let rejections = 0;
  poll((records) => {
    for (const record of records) {
      if (keyOf(record) === 'c' && rejections < 2) {
        rejections += 1;
        return record.dynamodb?.SequenceNumber;
      }
      accepted.push(keyOf(record));
    }
    return undefined;
  });
  await until(() => accepted.includes('d'));
  expect(accepted).toEqual(['a', 'b', 'c', 'd']);
  expect(rejections).toBe(2);
});

it('the poller retries all records when the handler throws or names no record', async () => {
  await put('a');
  await put('b');
  const accepted: string[] = [];
  let tries = 0;
  poll((records) => {
    tries += 1;
    if (tries === 1) throw new Error('a failed run');
    if (tries === 2) return '';
    accepted.push(...records.map(keyOf));
    return undefined;
  });
  await until(() => accepted.length > 0);
  expect(accepted).toEqual(['a', 'b']);
});

it('the poller continues at its checkpoint after a restart', async () => {
  await put('a');
  const first: string[] = [];
  poll((records) => void first.push(...records.map(keyOf)));
  await until(() => first.length === 1);
  await poller?.stop();
  await put('b');

  const second: string[] = [];
  poll((records) => void second.push(...records.map(keyOf)));
  await until(() => second.length === 1);
  expect([first, second]).toEqual([['a'], ['b']]);
});

longTest('the TTL sweeper deletes expired items, and their records are marked as by DynamoDB', async () => {
  const past = { N: String(Math.floor(Date.now() / 1000) - 10) };
  for (let item = 0; item < 300; item += 1) await put(`old-${item}`, 'x', { ttl: past });
  await put('young', 'x', { ttl: { N: String(Math.floor(Date.now() / 1000) + 3600) } });
  await put('text', 'x', { ttl: { S: '0' } });
  await put('none');
  const swept = new Set<string>();
  const seen: DynamoDBRecord[] = [];
  poll((records) => void seen.push(...records), { eventName: ['REMOVE'] }, swept);
  expect(await sweepOnce(client, table, swept)).toBe(300);
  await client.send(new DeleteItemCommand({ TableName: table, Key: { pk: { S: 'none' }, sk: { S: 'x' } } }));
  await until(() => seen.length === 301);
  const byService = seen.filter(({ userIdentity }) => userIdentity?.principalId === 'dynamodb.amazonaws.com');
  expect(byService).toHaveLength(300);
  expect(keyOf(seen.find(({ userIdentity }) => !userIdentity))).toBe('none');
  expect(swept.size).toBe(0);
  expect(await sweepOnce(client, table, swept)).toBe(0);
});

it('the TTL sweeper leaves an item whose expiry is extended after it was found', async () => {
  const inSeconds = (seconds: number) => ({ ttl: { N: String(Math.floor(Date.now() / 1000) + seconds) } });
  await put('extended', 'x', inSeconds(-10));
  const send = client.send.bind(client) as (command: unknown) => Promise<unknown>;
  vi.spyOn(client as { send: typeof send }, 'send').mockImplementation(async (command) => {
    if (command instanceof DeleteItemCommand) await put('extended', 'x', inSeconds(3600));
    return await send(command);
  });
  const swept = new Set<string>();
  expect([await sweepOnce(client, table, swept), swept.size]).toEqual([0, 0]);
});

longTest("trimming the engine's log loses no record", async () => {
  for (let start = 0; start < 1200; start += 25) {
    const items = Array.from({ length: 25 }, (_, index) => ({ pk: { S: `item-${start + index}` }, sk: { S: 'x' } }));
    const requests = items.map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: requests } }));
  }
  const seen: string[] = [];
  const polling = poll((records) => void seen.push(...records.map(keyOf)));
  await until(() => seen.length === 1200);
  const streamLog = openStreamLog(dbPath, table);
  const trimmer = streamLog.trim(() => polling.consumed(), 20);
  const database = new DatabaseSync(dbPath, { readOnly: true });
  const rows = (): number =>
    Number(
      database.prepare('SELECT COUNT(*) AS count FROM _stream_records WHERE table_name = ?').get(table)?.['count'],
    );
  await until(() => rows() === 1);
  const plan = database
    .prepare(
      'EXPLAIN QUERY PLAN SELECT MAX(CAST(sequence_number AS INTEGER)) FROM _stream_records WHERE table_name = ?',
    )
    .all(table);
  expect(JSON.stringify(plan)).toContain('local_stream_sequence');
  await put('one more');
  await until(() => seen.length === 1201);
  expect(seen.at(-1)).toBe('one more');
  await trimmer.stop();
  streamLog.close();
  database.close();
});

it('the poller reads no records through the engine while none passes the filter, and misses none that does', async () => {
  const streamLog = openStreamLog(dbPath, table);
  let reads = 0;
  const counted: TableStream = {
    ...stream,
    read: async (iterator) => {
      reads += 1;
      return await stream.read(iterator);
    },
  };
  const [{ prefix }] = outboxFilter.dynamodb.Keys.pk.S;
  await Promise.all(Array.from({ length: 50 }, (_, index) => put(`item-${index}`)));
  const seen: string[] = [];
  const swept = new Set([JSON.stringify(['item-0', 'x'])]);
  const polling = poll((records) => void seen.push(...records.map(keyOf)), outboxFilter, swept, {
    stream: counted,
    newestIfNone: (shard, after) => streamLog.newestIfNone(shard, after, prefix),
  });
  await until(() => polling.consumed() !== undefined);
  expect(reads).toBe(0);
  // Among others, at the end, and a deletion, which the sweeper is compared with.
  await put('item-50');
  await put(`${prefix}1`);
  await put('item-51');
  await put(`${prefix}2`);
  await client.send(new DeleteItemCommand({ TableName: table, Key: { pk: { S: 'item-0' }, sk: { S: 'x' } } }));
  await until(() => seen.length === 2 && swept.size === 0);
  expect(seen).toEqual([`${prefix}1`, `${prefix}2`]);
  expect(reads).toBeGreaterThan(0);
  await polling.stop();
  streamLog.close();
});
