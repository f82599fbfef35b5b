import { jsonClient } from './aws-json.ts';
import { limitWithinRequest } from './request-time.ts';
import { settings } from './settings.ts';
import { withTimeLimit } from './time-limit.ts';

const REQUEST_TIMEOUT_MS = 5000;
/** Of all attempts with the pauses between them, in milliseconds: less than the timeout of the publisher. */
const ATTEMPTS_MS = 16_000;

const client = jsonClient({
  name: 'events',
  target: 'AWSEvents',
  contentType: 'application/x-amz-json-1.1',
  endpointVariable: 'AWS_ENDPOINT_URL_EVENTBRIDGE',
  timeoutMs: REQUEST_TIMEOUT_MS,
});

/** Checks that the bus responds, without publishing anything. @throws when it does not, or when the signal aborts. */
export const checkBus = async (signal: AbortSignal): Promise<void> => {
  await client().call('DescribeEventBus', { Name: settings().bus }, { abortSignal: signal });
};

/** An entry to publish. */
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

/** The result per entry, in their order. */
interface Published {
  readonly Entries?: readonly { readonly ErrorCode?: string }[];
}

/** The time that remains to respond, in milliseconds. */
const RESERVE_MS = 1000;

const put = (Entries: readonly object[]): Promise<Published> =>
  withTimeLimit(limitWithinRequest(ATTEMPTS_MS, RESERVE_MS), (abortSignal) =>
    client().call<Published>('PutEvents', { Entries }, { abortSignal }),
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
        EventBusName: settings().bus,
        Source: entry.source,
        DetailType: entry.kind,
        Detail: detail,
        // Seconds since the epoch.
        Time: entry.time.getTime() / 1000,
      })),
    );
    for (const [position, result] of (response.Entries ?? []).entries()) {
      const encoded = batch[position];
      if (result.ErrorCode && encoded) rejected.push(encoded.entry.id);
    }
  }
  return rejected;
};
