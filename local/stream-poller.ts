import { setTimeout as wait } from 'node:timers/promises';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { type BackgroundTask, logChanges } from './background.ts';
import type { Checkpoints } from './journal.ts';
import { matches, type Pattern } from './pattern.ts';
import { pauseAfter, persistentRetryPolicy } from './retry-policy.ts';
import { lambdaRecord } from './stream-records.ts';
import type { TableStream } from './table-stream.ts';

type Deliver = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;

export interface StreamPollerOptions {
  readonly stream: TableStream;
  /** Other records only advance the checkpoint. */
  readonly filter: Pattern;
  readonly deliver: Deliver;
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

const BATCH_MAX = 100;
const IDLE_MS = 50;
const IDLE_MAX_MS = 250;
const IDLE_GROWTH = 1.02;
/** The checkpoint of a closed shard that has been read to its end. */
const FINISHED = 'finished';

class PartialDelivery extends Error {
  override readonly name = 'PartialDelivery';
}

/**
 * Invokes the handler with batches of records.
 * @param accepted called with the sequence number up to which the handler accepted all records.
 * @throws when the handler fails or rejects a record.
 */
const deliverBatches = async (
  records: readonly DynamoDBRecord[],
  deliver: Deliver,
  accepted: (sequenceNumber: string) => void,
): Promise<void> => {
  for (let start = 0; start < records.length; start += BATCH_MAX) {
    const batch = records.slice(start, start + BATCH_MAX);
    const { batchItemFailures } = await deliver({ Records: batch });
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    // A failure that names no record of the batch is one of the whole batch.
    const firstFailed = batch.findIndex(({ dynamodb }) => failed.has(dynamodb?.SequenceNumber ?? ''));
    const count = failed.size === 0 ? batch.length : Math.max(0, firstFailed);
    const last = batch[count - 1]?.dynamodb?.SequenceNumber;
    if (last) accepted(last);
    if (count < batch.length) throw new PartialDelivery(`The handler rejected ${batch.length - count} records.`);
  }
};

/**
 * Reads the table's stream and invokes a handler with its records, as Lambda does. The checkpoint advances after the
 * handler accepted records, so a killed process loses none and delivers a few twice. One shard is read at a time: an engine
 * on this machine has one, or several after each other.
 */
export const pollStream = (options: StreamPollerOptions): StreamPoller => {
  const { stream, filter, deliver, checkpoints, swept, newestIfNone } = options;
  let shard: string | undefined;
  let iterator: string | undefined;
  let consumed: string | undefined;
  const checkpointOf = (id: string): string => `stream ${stream.arn} ${id}`;

  /** Reads the next page of the oldest unfinished shard. @returns whether it had records. */
  const readPage = async (): Promise<boolean> => {
    shard ??= (await stream.shards()).find((id) => checkpoints.get(checkpointOf(id)) !== FINISHED);
    if (shard === undefined) return false;
    const name = checkpointOf(shard);
    const checkpoint = checkpoints.get(name);
    const advance = (sequenceNumber: string): void => {
      checkpoints.set(name, sequenceNumber);
      consumed = sequenceNumber;
    };
    consumed ??= checkpoint;
    const from = iterator;
    // After a failure the next read starts at the checkpoint.
    iterator = undefined;
    const skipped = newestIfNone?.(shard, checkpoint);
    if (skipped !== undefined) {
      advance(skipped);
      return false;
    }
    const { records, next } = await stream.read(from ?? (await stream.iteratorAfter(shard, checkpoint)));
    const wanted = records
      .flatMap((record) => lambdaRecord(record, stream.arn, swept) ?? [])
      .filter((record) => matches(filter, record));
    await deliverBatches(wanted, deliver, advance);
    const last = records.at(-1)?.dynamodb?.SequenceNumber;
    if (last) advance(last);
    iterator = next;
    if (next === undefined) {
      checkpoints.set(name, FINISHED);
      shard = undefined;
    }
    return records.length > 0;
  };

  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    const state = logChanges('reading the stream failed and is retried');
    let idleMs = IDLE_MS;
    for (let failures = 0; !signal.aborted; ) {
      let pauseMs = 0;
      try {
        const hadRecords = await readPage();
        // The pause grows slowly while the stream is idle.
        idleMs = hadRecords ? IDLE_MS : Math.min(IDLE_MAX_MS, idleMs * IDLE_GROWTH);
        if (!hadRecords) pauseMs = idleMs;
        failures = 0;
        state.succeeded();
      } catch (error) {
        failures += 1;
        pauseMs = pauseAfter(failures, persistentRetryPolicy);
        if (!signal.aborted) state.failed(error);
      }
      // An aborted wait ends the loop.
      await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    consumed: () => consumed,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};
