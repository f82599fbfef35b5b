import { ulid } from 'ulid';
import { secondsFromNow } from '#platform/clock.ts';
import { AppError, conflict } from '#shared/errors.ts';
import { absent, either, is, isBelow } from './conditions.ts';
import { idempotencyKey } from './keys.ts';
import { findItem } from './read.ts';
import { putItem, removeItem, updateItem } from './write.ts';

/** How long an answer is kept, in seconds. */
const KEPT_SECONDS = 86_400;
/** Longer than any request runs: after that one that has not ended has died, in seconds. */
const RUN_SECONDS = 40;

/** An answer as it left, to be given again. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request that runs under a key. */
export interface RunningRequest {
  /** Who asks for what under which key, made unreadable. */
  readonly name: string;
  /**
   * A ULID that stays the same when the request is tried again: what the work makes takes its id from it, so a try after
   * one that died finds what that one has made.
   */
  readonly seed: string;
  /** Tells this run from an earlier one that was given up, in seconds since the epoch. */
  readonly until: number;
}

/**
 * Begins a request under a key, or finds that it was answered before.
 * @param digest of the body: the same key with another body is a mistake.
 * @throws 422 for another body, 409 while the first one runs.
 */
export const beginOnce = async (name: string, digest: string): Promise<RunningRequest | KeptAnswer> => {
  const key = idempotencyKey(name);
  const until = secondsFromNow(RUN_SECONDS);
  const seed = ulid();
  const first = { type: 'idempotency', state: 'running', digest, seed, until, ttl: secondsFromNow(KEPT_SECONDS) };
  if (await putItem({ ...key, ...first }, either(absent, isBelow('ttl', secondsFromNow(0)))))
    return { name, seed, until };

  const known = await findItem(key);
  if (!known) throw conflict('IN_PROGRESS');
  if (known.digest !== digest) throw new AppError('IDEMPOTENCY_MISMATCH');
  if (known.state === 'done') return known.answer as KeptAnswer;
  const isDead = Number(known.until) < secondsFromNow(0);
  const taken = isDead && (await updateItem(key, { set: { until } }, is('until', Number(known.until))));
  if (!taken) throw conflict('IN_PROGRESS', 'The first request with this key is still running.');
  return { name, seed: String(known.seed), until };
};

/** Keeps the answer of a request for a day. */
const keepAnswer = async (request: RunningRequest, answer: KeptAnswer): Promise<void> => {
  await updateItem(idempotencyKey(request.name), { set: { state: 'done', answer } }, is('until', request.until));
};

/** Lets a request be tried again that was refused: nothing of it is kept. */
const forgetRefused = async (request: RunningRequest): Promise<void> => {
  await removeItem(idempotencyKey(request.name), is('until', request.until));
};

/** Lets a request be tried again that broke: it may have done its work, so it keeps its seed. */
const allowAgain = async (request: RunningRequest): Promise<void> => {
  await updateItem(idempotencyKey(request.name), { set: { until: 0 } }, is('until', request.until));
};

/** What the gate of idempotent routes works with. */
export const idempotency = { beginOnce, keepAnswer, forgetRefused, allowAgain };
