import { decodeTime, encodeTime, monotonicFactory } from 'ulid';
import manifest from '../../package.json' with { type: 'json' };

/** The entity of an id, as its prefix. */
type IdKind =
  | 'prj'
  | 'cat'
  | 'cmt'
  | 'prm'
  | 'evt'
  | 'whk'
  | 'bat'
  | 'imp'
  | 'run'
  | 'rep'
  | 'rev'
  | 'rpl'
  | 'rul'
  | 'trk'
  | 'chk'
  | 'pay'
  | 'snp'
  | 'key';

// Monotonic: ids of one process sort in creation order even within a millisecond.
const nextUlid = monotonicFactory();

/** A new id such as `prj_01J9Z3…`. */
export const newId = (kind: IdKind): string => `${kind}_${nextUlid()}`;

const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;

/** The time in an id, in milliseconds since the epoch. */
export const timeOfId = (id: string): number => decodeTime(id.slice(id.indexOf('_') + 1));

/** Sorts before every id of a kind from this time on, in milliseconds since the epoch. */
export const firstIdFrom = (kind: IdKind | 'aud', timeMs: number): string =>
  `${kind}_${encodeTime(Math.max(0, timeMs), TIME_LENGTH)}${'0'.repeat(RANDOM_LENGTH)}`;

/** The version of the service. */
export const version: string = manifest.version;
