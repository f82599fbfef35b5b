import { decodeTime } from 'ulid';
import type { ImportMapping } from '#contract/projects.ts';
import type { ImportRecord } from '#model/import.ts';
import { importKey, importsPartition, inImports, type Key } from './keys.ts';
import { findItem, type Item, newestPageOf } from './read.ts';
import { absent, type Condition, either, every, exists, is, updateItem, type Write } from './write.ts';

/** How long imports are kept, like their batches, in seconds. */
const KEPT_SECONDS = 90 * 86_400;

const expiryOf = (importId: string): number =>
  Math.floor(decodeTime(importId.slice('imp_'.length)) / 1000) + KEPT_SECONDS;

/** Names of columns may be empty, which names of attributes must not be. */
const stored = ({ mapping, ...rest }: Partial<ImportRecord>): Item => ({
  ...rest,
  ...(mapping !== undefined && { mapping: JSON.stringify(mapping) }),
});

const importItem = (record: ImportRecord): Item & Key => ({
  ...importKey(record.id),
  ...inImports(record.id),
  type: 'import',
  ttl: expiryOf(record.id),
  ...stored(record),
});

const importOf = (item: Item): ImportRecord => {
  const { pk: _pk, sk: _sk, collection_pk: _c, collection_sk: _s, type: _type, ttl: _ttl, mapping, ...record } = item;
  return { ...(record as unknown as ImportRecord), mapping: JSON.parse(String(mapping)) as ImportMapping | null };
};

/** The write that announces an import. */
export const importInsertion = (record: ImportRecord): Write => ({ put: importItem(record), when: absent });

export const findImport = async (id: string): Promise<ImportRecord | undefined> => {
  const item = await findItem(importKey(id));
  return item && importOf(item);
};

/** A page of imports, newest first, with the exact total. */
export const pageOfImports = async (
  skip: number,
  count: number,
): Promise<{ imports: ImportRecord[]; total: number }> => {
  const { items, total } = await newestPageOf(importsPartition, skip, count);
  return { imports: items.map(importOf), total };
};

const isAs = ({ state, run }: Pick<ImportRecord, 'state' | 'run'>): Condition =>
  every(exists, is('state', state), is('run', run));

/** The write of a change of an import. It fails with `ConditionFailed` when its state or its run is another one meanwhile. */
export const importChange = (record: ImportRecord, change: Partial<ImportRecord>): Write => ({
  update: importKey(record.id),
  change: { set: stored(change) },
  when: isAs(record),
});

/** Changes an import like `importChange`. @returns the import, or undefined when it is in another state or run. */
export const changeImport = async (
  record: ImportRecord,
  change: Partial<ImportRecord>,
): Promise<ImportRecord | undefined> => {
  const item = await updateItem(importKey(record.id), { set: stored(change) }, isAs(record));
  return item && importOf(item);
};

/** Makes a run the one that imports the rows. @returns the import, or undefined when there is nothing to do. */
export const claimImport = async (id: string, run: string, at: string): Promise<ImportRecord | undefined> => {
  const isDue = every(exists, either(is('state', 'checking'), is('state', 'running')));
  const item = await updateItem(importKey(id), { set: { run, seen_at: at } }, isDue);
  return item && importOf(item);
};
