import {
  DescribeEventBusCommand,
  EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
  type PutEventsResponse,
} from '@aws-sdk/client-eventbridge';
import { clientSettings, lazily } from './aws.ts';
import { environment } from './environment.ts';
import { limitWithinRequest, withTimeLimit } from './time-limit.ts';

const REQUEST_TIMEOUT_MS = 5000;
/** Of all attempts with the pauses between them, in milliseconds: less than the timeout of the publisher. */
const ATTEMPTS_MS = 16_000;

const client = lazily(() => new EventBridgeClient(clientSettings(REQUEST_TIMEOUT_MS)));

/** Checks that the bus responds, without publishing anything. @throws when it does not, or when the signal aborts. */
export const checkBus = async (signal: AbortSignal): Promise<void> => {
  await client().send(new DescribeEventBusCommand({ Name: environment().bus }), { abortSignal: signal });
};

interface BusEntry {
  readonly id: string;
  readonly source: string;
  readonly kind: string;
  readonly detail: unknown;
  readonly time: Date;
}

/** The limits of one `PutEvents` request: entries, and bytes of their sources, kinds, times and details together. */
const ENTRIES_MAX = 10;
const BYTES_MAX = 256 * 1024;
/** What an entry counts for its time. */
const TIME_BYTES = 14;

interface Encoded {
  readonly entry: BusEntry;
  readonly detail: string;
}

const bytesOf = ({ entry, detail }: Encoded): number =>
  TIME_BYTES + Buffer.byteLength(entry.source) + Buffer.byteLength(entry.kind) + Buffer.byteLength(detail);

/** Groups entries in their order. An entry above the limit gets a request of its own, so that only that one fails. */
const batchesOf = (entries: readonly BusEntry[]): Encoded[][] => {
  const batches: Encoded[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const encoded = { entry, detail: JSON.stringify(entry.detail) };
    const batch = batches.at(-1);
    const size = bytesOf(encoded);
    if (!batch || batch.length === ENTRIES_MAX || bytes + size > BYTES_MAX) {
      batches.push([encoded]);
      bytes = size;
    } else {
      batch.push(encoded);
      bytes += size;
    }
  }
  return batches;
};

/** The time that remains to respond, in milliseconds. */
const RESERVE_MS = 1000;

const put = (Entries: PutEventsRequestEntry[]): Promise<PutEventsResponse> =>
  withTimeLimit(limitWithinRequest(ATTEMPTS_MS, RESERVE_MS), (abortSignal) =>
    client().send(new PutEventsCommand({ Entries }), { abortSignal }),
  );

/**
 * Publishes entries in batches. Within a request, it ends in time to respond with 503.
 * @returns the ids of entries that the bus rejected; the caller retries them.
 */
export const putOnBus = async (entries: readonly BusEntry[]): Promise<string[]> => {
  const rejected: string[] = [];
  for (const batch of batchesOf(entries)) {
    const response = await put(
      batch.map(({ entry, detail }) => ({
        EventBusName: environment().bus,
        Source: entry.source,
        DetailType: entry.kind,
        Detail: detail,
        Time: entry.time,
      })),
    );
    for (const [position, result] of (response.Entries ?? []).entries()) {
      const encoded = batch[position];
      if (result.ErrorCode && encoded) rejected.push(encoded.entry.id);
    }
  }
  return rejected;
};
