import { setTimeout as wait } from 'node:timers/promises';
import { requestTime } from '#platform/time-limit.ts';

/** A concurrent write changed the item first. The caller reads it again and repeats its decision. */
export class ConflictError extends Error {
  override readonly name: string = 'ConflictError';
}

/** Enough for a hundred concurrent writers of one counter: an attempt only fails because another writer succeeded. */
const ATTEMPTS_MAX = 50;
const PAUSE_MAX_MS = 250;
/** No attempt starts when less than this is left of the time of the request, in milliseconds. */
const RESERVE_MS = 1000;

const hasTime = (): boolean => (requestTime()?.remainingMs() ?? Number.POSITIVE_INFINITY) > RESERVE_MS;

const isConflictError = (error: unknown): boolean => error instanceof ConflictError;

interface RetryOptions {
  /** Which errors are conflicts; by default every `ConflictError`. */
  readonly isConflict?: (error: unknown) => boolean;
  readonly attemptsMax?: number;
}

/**
 * Repeats an operation while it conflicts with concurrent writes, with growing random pauses.
 * @param operation reads its data in each attempt, so that its rules hold for the record that it replaces.
 * @throws other errors immediately, and the conflict after the last attempt, or when the time of the request runs out.
 */
export const retryOnConflict = async <T>(
  operation: () => Promise<T>,
  { isConflict = isConflictError, attemptsMax = ATTEMPTS_MAX }: RetryOptions = {},
): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await operation();
    } catch (error) {
      if (attempt >= attemptsMax || !isConflict(error) || !hasTime()) throw error;
      await wait(Math.random() * Math.min(PAUSE_MAX_MS, 2 ** attempt));
    }
  }
};
