import { setTimeout as wait } from 'node:timers/promises';
import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';

/**
 * How writes get past each other. DynamoDB lets no two writes touch an item at once when one of them is a transaction; the
 * one that comes second is refused, and the SDK does not try it again.
 */

// Contention on one counter is settled by trying again: with this many tries a hundred callers at once all get through.
const CONFLICT_TRIES = 40;
const PAUSE_MAX_MS = 250;

/**
 * Does a write, again and again after pauses while it only conflicts with others.
 * @param send makes the request anew each time, so that what it says of the time is true of the try that succeeds.
 * @throws what it throws for other reasons, and in the end the conflict.
 */
export const pastConflicts = async <T>(isConflict: (error: unknown) => boolean, send: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (attempt >= CONFLICT_TRIES || !isConflict(error)) throw error;
      await wait(Math.random() * Math.min(PAUSE_MAX_MS, 5 * 2 ** attempt));
    }
  }
};

const isTransactionAtWork = (error: unknown): boolean => error instanceof TransactionConflictException;

/**
 * Sends a write of one item, past the transactions that touch it.
 * @param send makes the request anew each time.
 * @returns the answer, or undefined when the condition of the write did not hold.
 */
export const sendSingle = async <T>(send: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await pastConflicts(isTransactionAtWork, send);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
};
