import { ulid } from 'ulid';
import { DAY_SECONDS } from '#model/days.ts';
import { mayBeUnderWay } from '#model/work-time.ts';
import { secondsFromNow } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { openText, sealText } from '#platform/sealed-text.ts';
import { requestTime } from '#platform/time-limit.ts';
import { AppError, conflict } from '#shared/errors.ts';
import { idempotencyKey } from './keys.ts';
import { findItem } from './read.ts';
import { absent, deleteItem, either, is, isBelow, putItem, updateItem } from './write.ts';

// Responses may hold secrets, such as a new API key. They are stored encrypted under the key of the caller, of which the table
// has a hash only.

/** The time to live of a record, in seconds. */
const KEPT_SECONDS = DAY_SECONDS;
/** A write that started in the time of its request ends within this. */
const MARGIN_SECONDS = 2;
/** What fits into an item, of at most 400 KB, beside its other attributes. */
const SEALED_BYTES_MAX = 390_000;

/** For how long this attempt counts as running, in seconds: it starts no write after the end of its time. */
const runSeconds = (): number => Math.ceil((requestTime()?.remainingMs() ?? 0) / 1000) + MARGIN_SECONDS;

interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request with an idempotency key. */
interface IdempotentRequest {
  /** A hash of caller, route and key. */
  readonly name: string;
  /** The key as sent. */
  readonly key: string;
}

/** A request in progress under an idempotency key. */
export interface RunningRequest extends IdempotentRequest {
  /**
   * A ULID that retries of the request share. Ids of created records derive from it, so a retry after a crash finds
   * what the first attempt wrote.
   */
  readonly seed: string;
  /** Whether there was no other attempt, which may have written something. */
  readonly isFirst: boolean;
  /** When the request counts as ended, in seconds since the epoch; identifies this attempt. */
  readonly until: number;
}

const sealOf = ({ name, key }: IdempotentRequest) => ({ secret: key, purpose: `response ${name}` });

/** @returns undefined for a damaged one: the request is executed again with the seed. */
const openResponse = async (sealed: Uint8Array, request: IdempotentRequest): Promise<StoredResponse | undefined> => {
  try {
    return JSON.parse(await openText(sealed, sealOf(request))) as StoredResponse;
  } catch (error) {
    log.error('a stored response could not be decrypted', { error });
    return undefined;
  }
};

/**
 * Starts a request under a key, or returns the stored response.
 * @param digest the hash of what makes it the same request.
 * @throws 422 when the key was used with another request, 409 while another attempt runs.
 */
export const beginRequest = async (
  request: IdempotentRequest,
  digest: string,
): Promise<RunningRequest | StoredResponse> => {
  const key = idempotencyKey(request.name);
  const until = secondsFromNow(runSeconds());
  const seed = ulid();
  const record = { type: 'idempotency', digest, seed, until, ttl: secondsFromNow(KEPT_SECONDS) };
  // DynamoDB deletes expired items late, so an expired record counts as absent.
  if (await putItem({ ...key, ...record }, either(absent, isBelow('ttl', secondsFromNow(0)))))
    return { ...request, seed, isFirst: true, until };

  const known = await findItem(key);
  if (!known) throw conflict('IN_PROGRESS');
  if (known.digest !== digest) throw new AppError('IDEMPOTENCY_MISMATCH');
  const stored = known.response instanceof Uint8Array && (await openResponse(known.response, request));
  if (stored) return stored;
  // Also a request whose response an earlier version of the service has stored in another form.
  const isEnded = !mayBeUnderWay(Number(known.until), secondsFromNow(0));
  const isOurs = isEnded && (await updateItem(key, { set: { until } }, is('until', Number(known.until))));
  if (!isOurs) throw conflict('IN_PROGRESS', 'The first request with this key is still running.');
  return { ...request, seed: String(known.seed), isFirst: false, until };
};

/** Permits an immediate retry of a failed request. It may have written something, so the seed is kept. */
export const allowRetry = async (request: RunningRequest): Promise<void> => {
  await updateItem(idempotencyKey(request.name), { set: { until: 0 } }, is('until', request.until));
};

/** Stores the response for retries. One that no item can hold is not stored: a retry is executed again with the seed. */
export const storeResponse = async (request: RunningRequest, response: StoredResponse): Promise<void> => {
  const sealed = await sealText(JSON.stringify(response), sealOf(request));
  if (sealed.length > SEALED_BYTES_MAX) return await allowRetry(request);
  await updateItem(idempotencyKey(request.name), { set: { response: sealed } }, is('until', request.until));
};

/** Deletes the record of a rejected request, which has written nothing unless an earlier attempt has. */
export const forgetRequest = async (request: RunningRequest): Promise<void> => {
  if (!request.isFirst) return await allowRetry(request);
  await deleteItem(idempotencyKey(request.name), is('until', request.until));
};
