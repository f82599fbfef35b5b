import { setTimeout as wait } from 'node:timers/promises';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { AwsError, type JsonClient } from '#platform/aws-json.ts';
import { type BackgroundTask, logChanges } from './background.ts';
import type { Checkpoints } from './journal.ts';
import { matches, type Pattern } from './pattern.ts';
import { lambdaRecord } from './stream-records.ts';

export interface StreamPollerOptions {
  readonly streams: Pick<JsonClient, 'call'>;
  readonly streamArn: string;
  /** Other records only advance the checkpoint. */
  readonly filter: Pattern;
  readonly deliver: (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;
  /** Where the position in each shard is stored. */
  readonly checkpoints: Checkpoints;
  /** The items that the TTL sweeper deleted. */
  readonly swept: Set<string>;
  /**
   * Looks at the records of a shard after a sequence number where that is cheaper than reading them.
   * @returns the newest sequence number if there are records, but none that passes the filter or is a deletion.
   */
  readonly newestIfNone?: (shardId: string, after: string | undefined) => string | undefined;
}

export interface StreamPoller extends BackgroundTask {
  /** The sequence number up to which everything has been delivered, in the shard that was read last. */
  consumed(): string | undefined;
}

const READ_MAX = 1000;
const BATCH_MAX = 100;
const IDLE_MS = 50;
const IDLE_MAX_MS = 250;
const IDLE_GROWTH = 1.02;
const RETRY_MS = 100;
const RETRY_MAX_MS = 5000;
/** The checkpoint of a closed shard that has been read to its end. */
const FINISHED = 'finished';

interface Shard {
  readonly ShardId?: string;
  readonly ParentShardId?: string;
}

class PartialDelivery extends Error {
  override readonly name = 'PartialDelivery';
}

/**
 * Reads the table's stream and invokes a handler with its records, as Lambda does. The checkpoint advances after the
 * handler accepted records, so a killed process loses none and delivers a few twice.
 */
export const pollStream = (options: StreamPollerOptions): StreamPoller => {
  const { streams, streamArn, filter, deliver, checkpoints, swept, newestIfNone } = options;
  const iterators = new Map<string, string>();
  let shards: Shard[] | undefined;
  let lastConsumed: string | undefined;

  const checkpointOf = (shardId: string): string => `stream ${streamArn} ${shardId}`;
  const advance = (shardId: string, sequenceNumber: string): void => {
    checkpoints.set(checkpointOf(shardId), sequenceNumber);
    if (sequenceNumber !== FINISHED) lastConsumed = sequenceNumber;
  };

  const iteratorOf = async (shardId: string, after: string | undefined): Promise<string | undefined> => {
    const shard = { StreamArn: streamArn, ShardId: shardId };
    const iteratorFrom = async (position: object) =>
      (await streams.call<{ ShardIterator?: string }>('GetShardIterator', { ...shard, ...position })).ShardIterator;
    const fromStart = () => iteratorFrom({ ShardIteratorType: 'TRIM_HORIZON' });
    if (after === undefined) return await fromStart();
    try {
      return await iteratorFrom({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after });
    } catch (error) {
      if (!(error instanceof AwsError && error.name === 'TrimmedDataAccessException')) throw error;
      return await fromStart();
    }
  };

  const deliverAll = async (shardId: string, records: readonly DynamoDBRecord[]): Promise<void> => {
    for (let start = 0; start < records.length; start += BATCH_MAX) {
      const batch = records.slice(start, start + BATCH_MAX);
      const { batchItemFailures } = await deliver({ Records: batch });
      const failed = batchItemFailures.map(({ itemIdentifier }) =>
        batch.findIndex((record) => record.dynamodb?.SequenceNumber === itemIdentifier),
      );
      const accepted = failed.length === 0 ? batch.length : Math.max(0, Math.min(...failed));
      const last = batch[accepted - 1]?.dynamodb?.SequenceNumber;
      if (last) advance(shardId, last);
      if (accepted < batch.length)
        throw new PartialDelivery(`The handler rejected ${batch.length - accepted} records.`);
    }
  };

  /** Reads the next page of a shard. @returns whether it had records. */
  const readPage = async (shardId: string): Promise<boolean> => {
    const checkpoint = checkpoints.get(checkpointOf(shardId));
    if (checkpoint === FINISHED) return false;
    lastConsumed ??= checkpoint;
    const skipped = newestIfNone?.(shardId, checkpoint);
    if (skipped !== undefined) {
      advance(shardId, skipped);
      iterators.delete(shardId);
      return false;
    }
    const iterator = iterators.get(shardId) ?? (await iteratorOf(shardId, checkpoint));
    // Set again only after success: after a failure the next read starts from the checkpoint.
    iterators.delete(shardId);
    const page = await streams.call<{ Records?: readonly DynamoDBRecord[]; NextShardIterator?: string }>('GetRecords', {
      ShardIterator: iterator,
      Limit: READ_MAX,
    });
    const records = page.Records ?? [];
    await deliverAll(
      shardId,
      records
        .flatMap((record) => lambdaRecord(record, streamArn, swept) ?? [])
        .filter((record) => matches(filter, record)),
    );
    const last = records.at(-1)?.dynamodb?.SequenceNumber;
    if (last) advance(shardId, last);
    if (page.NextShardIterator) {
      iterators.set(shardId, page.NextShardIterator);
    } else {
      advance(shardId, FINISHED);
      shards = undefined;
    }
    return records.length > 0;
  };

  const listShards = async (): Promise<Shard[]> => {
    const all: Shard[] = [];
    let from: string | undefined;
    do {
      const { StreamDescription: page } = await streams.call<{
        StreamDescription?: { Shards?: readonly Shard[]; LastEvaluatedShardId?: string };
      }>('DescribeStream', { StreamArn: streamArn, ...(from && { ExclusiveStartShardId: from }) });
      all.push(...(page?.Shards ?? []));
      from = page?.LastEvaluatedShardId;
    } while (from);
    return all;
  };

  const readAllShards = async (): Promise<boolean> => {
    shards ??= await listShards();
    const known = shards;
    let any = false;
    for (const { ShardId: id, ParentShardId: parent } of known) {
      if (!id) continue;
      // A parent shard is read to its end first, so that changes of an item stay in order.
      const isParentOpen =
        known.some((shard) => shard.ShardId === parent) && checkpoints.get(checkpointOf(parent ?? '')) !== FINISHED;
      if (!isParentOpen && (await readPage(id))) any = true;
    }
    return any;
  };

  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    let retryPause = RETRY_MS;
    let idle = IDLE_MS;
    const state = logChanges('reading the stream failed and is retried');
    while (!stopping.signal.aborted) {
      let pause: number;
      try {
        // The pause grows slowly while the stream is idle.
        idle = (await readAllShards()) ? IDLE_MS : Math.min(IDLE_MAX_MS, idle * IDLE_GROWTH);
        pause = idle === IDLE_MS ? 0 : idle;
        retryPause = RETRY_MS;
        state.succeeded();
      } catch (error) {
        if (!stopping.signal.aborted) state.failed(error);
        pause = retryPause;
        retryPause = Math.min(RETRY_MAX_MS, retryPause * 2);
      }
      // An aborted wait ends the loop.
      await wait(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    consumed: () => lastConsumed,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};
