import type { Key } from './keys.ts';
import { findItem, type Item, recordOf, wholeCollection } from './read.ts';
import { absent, every, exists, is, transact, tryTransact, type Write } from './write.ts';

interface Definition {
  /** The stored `type` of each item. */
  readonly type: string;
  readonly partition: string;
  /** Of the sort keys. */
  readonly prefix: string;
  readonly keyOf: (id: string) => Key;
  /** In the audit log, where the key does not tell it. */
  readonly subjectOf?: (id: string) => string;
}

/**
 * A store of records that administrators maintain, few enough to read them together. All reads are strongly consistent.
 * Writes take further writes of their transaction.
 */
export const collection = <R extends { readonly id: string }>({
  type,
  partition,
  prefix,
  keyOf,
  subjectOf,
}: Definition) => {
  const itemOf = (record: R): Item & Key => ({ ...keyOf(record.id), type, ...(record as object) });
  return {
    /** All records, oldest first. */
    all: async (): Promise<R[]> => (await wholeCollection({ partition, prefix })).map(recordOf<R>),

    find: async (id: string): Promise<R | undefined> => {
      const item = await findItem(keyOf(id));
      // A key of the table can be derived from a part of the id.
      return item?.id === id ? recordOf<R>(item) : undefined;
    },

    insert: (record: R, ...further: readonly Write[]): Promise<void> =>
      transact([{ put: itemOf(record), when: absent, subject: subjectOf?.(record.id) }, ...further]),

    /** @throws {ConditionFailed} when the record was changed or deleted concurrently. */
    replace: (previous: R & { readonly version: number }, next: R): Promise<void> =>
      transact([{ put: itemOf(next), when: every(exists, is('version', previous.version)) }]),

    /** @returns whether the record existed. */
    remove: (id: string, ...further: readonly Write[]): Promise<boolean> =>
      tryTransact([{ delete: keyOf(id), when: exists }, ...further]),
  };
};
