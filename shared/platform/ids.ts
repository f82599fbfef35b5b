import { monotonicFactory } from 'ulid';
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

/** The version of the service. */
export const version: string = manifest.version;
