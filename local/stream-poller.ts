import { setTimeout as wait } from 'node:timers/promises';
import {
  type _Record,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { log } from '#platform/log.ts';
import type { Background } from './background.ts';
import type { Memory } from './journal.ts';
import { matches, type Pattern } from './pattern.ts';
import { asDelivered } from './stream-records.ts';

/** What the stream is polled for, and who is told. */
export interface StreamSubscription {
  readonly streams: DynamoDBStreamsClient;
  readonly streamArn: string;
  /** Which records are delivered; the others only move the checkpoint. */
  readonly filter: Pattern;
  readonly deliver: (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;
  /** Where it is remembered how far the stream has been delivered. */
  readonly memory: Memory;
  /** The items that the sweeper has removed. */
  readonly swept: Set<string>;
}

/** A poller at work. */
export interface StreamPoller extends Background {
  /** The sequence number up to which everything has been delivered, of the shard that was read last. */
  consumed(): string | undefined;
}

const READ_MAX = 1000;
const BATCH_MAX = 100;
const IDLE_MS = 50;
const IDLE_MAX_MS = 250;
const IDLE_GROWTH = 1.02;
const TROUBLE_MS = 100;
const TROUBLE_MAX_MS = 5000;
/** Where a shard that has been read to its end stands. */
const FINISHED = 'finished';

class DeliveryRefused extends Error {
  override readonly name = 'DeliveryRefused';
}

/**
 * Reads the table's stream and hands its records to a handler the way Lambda does. The checkpoint moves only behind what
 * the handler has taken, so a killed process loses nothing and repeats a little.
 */
export const pollStream = (subscription: StreamSubscription): StreamPoller => {
  const { streams, streamArn, filter, deliver, memory, swept } = subscription;
  const iterators = new Map<string, string>();
  let shards: Shard[] | undefined;
  let lastConsumed: string | undefined;

  const nameOf = (shardId: string): string => `stream ${streamArn} ${shardId}`;
  const moveTo = (shardId: string, sequenceNumber: string): void => {
    memory.remember(nameOf(shardId), sequenceNumber);
    if (sequenceNumber !== FINISHED) lastConsumed = sequenceNumber;
  };

  const iteratorOf = async (shardId: string, after: string | undefined): Promise<string | undefined> => {
    const shard = { StreamArn: streamArn, ShardId: shardId };
    const fromStart = async () =>
      (await streams.send(new GetShardIteratorCommand({ ...shard, ShardIteratorType: 'TRIM_HORIZON' }))).ShardIterator;
    if (after === undefined) return await fromStart();
    try {
      const command = new GetShardIteratorCommand({
        ...shard,
        ShardIteratorType: 'AFTER_SEQUENCE_NUMBER',
        SequenceNumber: after,
      });
      return (await streams.send(command)).ShardIterator;
    } catch (error) {
      if (!(error instanceof TrimmedDataAccessException)) throw error;
      return await fromStart();
    }
  };

  const handOver = async (shardId: string, records: readonly DynamoDBRecord[]): Promise<void> => {
    for (let start = 0; start < records.length; start += BATCH_MAX) {
      const batch = records.slice(start, start + BATCH_MAX);
      const { batchItemFailures } = await deliver({ Records: batch });
      const failed = batchItemFailures.map(({ itemIdentifier }) =>
        batch.findIndex((record) => record.dynamodb?.SequenceNumber === itemIdentifier),
      );
      const taken = failed.length === 0 ? batch.length : Math.max(0, Math.min(...failed));
      const last = batch[taken - 1]?.dynamodb?.SequenceNumber;
      if (last) moveTo(shardId, last);
      if (taken < batch.length) throw new DeliveryRefused(`${batch.length - taken} records were not taken.`);
    }
  };

  /** Reads a shard on. @returns whether there was anything. */
  const readOn = async (shardId: string): Promise<boolean> => {
    const checkpoint = memory.recall(nameOf(shardId));
    if (checkpoint === FINISHED) return false;
    lastConsumed ??= checkpoint;
    const iterator = iterators.get(shardId) ?? (await iteratorOf(shardId, checkpoint));
    // Only what went well is remembered: after trouble it goes on from the checkpoint.
    iterators.delete(shardId);
    const page = await streams.send(new GetRecordsCommand({ ShardIterator: iterator, Limit: READ_MAX }));
    const records: readonly _Record[] = page.Records ?? [];
    await handOver(
      shardId,
      records
        .flatMap((record) => asDelivered(record, streamArn, swept) ?? [])
        .filter((record) => matches(filter, record)),
    );
    const last = records.at(-1)?.dynamodb?.SequenceNumber;
    if (last) moveTo(shardId, last);
    if (page.NextShardIterator) {
      iterators.set(shardId, page.NextShardIterator);
    } else {
      moveTo(shardId, FINISHED);
      shards = undefined;
    }
    return records.length > 0;
  };

  const listShards = async (): Promise<Shard[]> => {
    const all: Shard[] = [];
    let from: string | undefined;
    do {
      const { StreamDescription: page } = await streams.send(
        new DescribeStreamCommand({ StreamArn: streamArn, ...(from && { ExclusiveStartShardId: from }) }),
      );
      all.push(...(page?.Shards ?? []));
      from = page?.LastEvaluatedShardId;
    } while (from);
    return all;
  };

  const round = async (): Promise<boolean> => {
    shards ??= await listShards();
    const known = shards;
    let any = false;
    for (const { ShardId: id, ParentShardId: parent } of known) {
      if (!id) continue;
      // What happened to an item before a shard was split is told before what happened after.
      const parentOpen =
        known.some((shard) => shard.ShardId === parent) && memory.recall(nameOf(parent ?? '')) !== FINISHED;
      if (!parentOpen && (await readOn(id))) any = true;
    }
    return any;
  };

  const ending = new AbortController();
  const run = async (): Promise<void> => {
    let trouble = TROUBLE_MS;
    let idle = IDLE_MS;
    while (!ending.signal.aborted) {
      let pause: number;
      try {
        // Where nothing has happened for some time, the next thing may wait a moment longer.
        idle = (await round()) ? IDLE_MS : Math.min(IDLE_MAX_MS, idle * IDLE_GROWTH);
        pause = idle === IDLE_MS ? 0 : idle;
        trouble = TROUBLE_MS;
      } catch (error) {
        if (!ending.signal.aborted) log.warn('the stream is tried again', { error: error as Error });
        pause = trouble;
        trouble = Math.min(TROUBLE_MAX_MS, trouble * 2);
      }
      // An ended wait is not a failure: the loop looks at the signal next.
      await wait(pause, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    consumed: () => lastConsumed,
    stop: async () => {
      ending.abort();
      await running;
    },
  };
};
