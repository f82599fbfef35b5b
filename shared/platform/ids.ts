import { monotonicFactory } from 'ulid';

/** What an id stands for, as its first letters say. */
export type IdKind = 'prj' | 'cat' | 'cmt' | 'prm' | 'evt' | 'whk' | 'bat' | 'rep' | 'trk' | 'chk' | 'pay' | 'snp';

// Monotonic within a process, so ids made in one millisecond still sort in the order they were made.
const nextUlid = monotonicFactory();

/** A new id: the kind and a ULID, such as `prj_01J9Z3…`. */
export const newId = (kind: IdKind): string => `${kind}_${nextUlid()}`;
