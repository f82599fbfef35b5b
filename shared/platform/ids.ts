import { createHash } from 'node:crypto';
import { decodeTime, encodeTime, monotonicFactory, ulid } from 'ulid';
import { CLOCK_SKEW_MAX_MS } from './clock.ts';

export type IdKind =
  | 'prj'
  | 'cat'
  | 'cmt'
  | 'prm'
  | 'evt'
  | 'whk'
  | 'bat'
  | 'imp'
  | 'fld'
  | 'run'
  | 'rep'
  | 'rev'
  | 'vca'
  | 'rpl'
  | 'col'
  | 'fol'
  | 'rul'
  | 'trk'
  | 'chk'
  | 'dft'
  | 'clm'
  | 'pay'
  | 'snp'
  | 'key'
  | 'ltr';

// Monotonic: ids of one process sort in creation order even within a millisecond. A factory never goes back in time, so that
// another one follows when the clock was set back.
let next = monotonicFactory();
const nextUlid = (): string => {
  const id = next();
  if (decodeTime(id) <= Date.now() + CLOCK_SKEW_MAX_MS) return id;
  next = monotonicFactory();
  return next();
};

/** An id such as `prj_01J9Z3…`. @param seed a ULID that makes it the same each time; otherwise it is a new one. */
export const newId = (kind: IdKind, seed: string = nextUlid()): string => `${kind}_${seed}`;

const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;

/** The time in an id, in milliseconds since the epoch. */
export const timeOfId = (id: string): number => decodeTime(id.slice(id.indexOf('_') + 1));

/** Sorts before every id of a kind from this time on, in milliseconds since the epoch. */
export const firstIdFrom = (kind: IdKind | 'aud', timeMs: number): string =>
  `${kind}_${encodeTime(Math.max(0, timeMs), TIME_LENGTH)}${'0'.repeat(RANDOM_LENGTH)}`;

/** The id of something with an identity of its own, always the same for it. It sorts by the time. */
export const derivedId = (kind: IdKind, timeMs: number, identity: string): string => {
  const digest = createHash('sha256').update(identity).digest();
  let position = 0;
  return `${kind}_${ulid(timeMs, () => (digest[position++ % digest.length] as number) / 256)}`;
};
