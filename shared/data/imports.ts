import { setImmediate as nextTurn } from 'node:timers/promises';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { decodeTime } from 'ulid';
import type { ImportMapping } from '#contract/projects.ts';
import { DAY_SECONDS } from '#model/days.ts';
import type { ImportRecord } from '#model/import.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { ChangeOrigin } from '#model/revision.ts';
import { log } from '#platform/log.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { Unavailable } from '#platform/unavailable.ts';
import { AppError } from '#shared/errors.ts';
import { ConflictError } from './conflict.ts';
import { fromJsonText, toJsonText } from './json-text.ts';
import { importKey, importsPartition, inImports, type Key, projectKey } from './keys.ts';
import { projectInsertion, projectReinsertion, projectReplacement } from './projects.ts';
import { findItem, findRecord, type Item, newestPageOf, recordOf } from './read.ts';
import {
  absent,
  type Condition,
  either,
  every,
  exists,
  is,
  keyOfWrite,
  transact,
  updateItem,
  type Write,
} from './write.ts';

/** How long imports are kept, like their batches, in seconds. */
const KEPT_SECONDS = 90 * DAY_SECONDS;

const expiryOf = (importId: string): number =>
  Math.floor(decodeTime(importId.slice('imp_'.length)) / 1000) + KEPT_SECONDS;

/** Callers name columns and categories. */
const stored = ({ mapping, categories, ...rest }: Partial<ImportRecord>): Item => ({
  ...rest,
  ...(mapping !== undefined && { mapping: toJsonText(mapping) }),
  ...(categories !== undefined && { categories: toJsonText(categories) }),
});

const importItem = (record: ImportRecord): Item & Key => ({
  ...importKey(record.id),
  ...inImports(record.id),
  type: 'import',
  ttl: expiryOf(record.id),
  ...stored(record),
});

const importOf = (item: Item): ImportRecord => {
  const { mapping, categories, ...record } = recordOf<ImportRecord>(item);
  return {
    ...record,
    mapping: fromJsonText(mapping) as ImportMapping | null,
    categories: fromJsonText(categories) as ImportRecord['categories'],
  };
};

export const importInsertion = (record: ImportRecord): Write => ({ put: importItem(record), when: absent });

export const findImport = (id: string) => findRecord(importKey(id), importOf);

/** A page of imports, newest first, with the exact total. */
export const pageOfImports = async (
  skip: number,
  count: number,
): Promise<{ imports: ImportRecord[]; total: number }> => {
  const { items, total } = await newestPageOf(importsPartition, skip, count);
  return { imports: items.map(importOf), total };
};

const isAs = ({ state, run, cancel_requested_at }: ImportRecord): Condition =>
  every(exists, is('state', state), is('run', run), is('cancel_requested_at', cancel_requested_at));

/**
 * The write of a change of an import. It fails with `ConditionFailed` when its state or its run is another one meanwhile, or it
 * was cancelled.
 */
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
  const isDue = every(exists, is('cancel_requested_at', null), either(is('state', 'checking'), is('state', 'running')));
  const item = await updateItem(importKey(id), { set: { run, seen_at: at } }, isDue);
  return item && importOf(item);
};

export interface ImportStep {
  /** Undefined for a new project. */
  readonly previous: ProjectRecord | undefined;
  readonly next: ProjectRecord;
  /** Further writes of its transaction. */
  readonly further?: readonly Write[];
}

/** Fewer than a transaction may have: the engine of a single machine handles one at a time, and reads wait for it. A row has four. */
const TRANSACTION_WRITES_MAX = 32;

/** Limit of a transaction, which may have 4 MB: a character takes up to four bytes. */
const TRANSACTION_CHARACTERS_MAX = 900_000;

/** Enough concurrent transactions to use the table's throughput without starving other requests. */
const CONCURRENT_TRANSACTIONS = 2;

/** The writes of one project, which belong to one transaction. */
interface ProjectWrites {
  readonly position: number;
  readonly next: ProjectRecord;
  readonly writes: readonly Write[];
  readonly keys: readonly string[];
  readonly characters: number;
}

const projectWrites = async (
  { previous, next, further = [] }: ImportStep,
  position: number,
  origin: ChangeOrigin,
): Promise<ProjectWrites> => {
  // A new project has a version above 1 when the file names its id: a project with that id may have been purged.
  const insertion =
    next.version > 1
      ? [...projectInsertion(next, origin), ...projectReinsertion(next)]
      : projectInsertion(next, origin);
  const writes = [...(previous ? await projectReplacement(previous, next, origin) : insertion), ...further];
  const keys = writes.map((write) => {
    const { pk, sk } = keyOfWrite(write);
    return JSON.stringify([pk, sk]);
  });
  return { position, next, writes, keys, characters: JSON.stringify(writes).length };
};

type Batch = [ProjectWrites, ...ProjectWrites[]];

/**
 * Groups projects into transactions, of which each is prepared when it is taken, so that the table works in the meantime.
 * A transaction must not touch an item twice.
 */
async function* batchesOf(steps: readonly ImportStep[], origin: ChangeOrigin): AsyncGenerator<Batch> {
  let batch: Batch | undefined;
  let writes = 0;
  let characters = 0;
  let keys = new Set<string>();
  for (const [position, step] of steps.entries()) {
    const project = await projectWrites(step, position, origin);
    const isFull =
      writes + project.writes.length > TRANSACTION_WRITES_MAX ||
      characters + project.characters > TRANSACTION_CHARACTERS_MAX ||
      project.keys.some((key) => keys.has(key));
    if (isFull || batch === undefined) {
      if (batch) {
        yield batch;
        // The request must be sent before the next transaction takes the processor.
        await nextTurn();
      }
      batch = [project];
      writes = 0;
      characters = 0;
      keys = new Set();
    } else {
      batch.push(project);
    }
    writes += project.writes.length;
    characters += project.characters;
    for (const key of project.keys) keys.add(key);
  }
  if (batch) yield batch;
}

const isRejection = (error: unknown): error is Error =>
  error instanceof ConflictError || error instanceof AppError || error instanceof TransactionCanceledException;

const isStored = async ({ next }: ProjectWrites): Promise<boolean> => {
  const item = await findItem(projectKey(next.id));
  return item?.version === next.version && item.updated_at === next.updated_at;
};

/** @returns the error, or undefined after success. Never throws, because other transactions are in flight. */
const attempt = async (batch: Readonly<Batch>, report: (error: unknown) => void): Promise<Error | undefined> => {
  try {
    await transact(batch.flatMap(({ writes }) => writes));
    return undefined;
  } catch (error) {
    if (isRejection(error)) return error;
    report(error);
    // Only the response may be lost. A retry of a committed transaction would create its projects a second time.
    return (await isStored(batch[0]).catch(() => false))
      ? undefined
      : new Unavailable('The table could not be reached.');
  }
};

/**
 * Stores projects without events, several per transaction. The projects of a rejected transaction are retried one by
 * one, so that only conflicting ones fail. The existence of categories is not checked: transactions that check the
 * same few items conflict with each other.
 * @returns the error of each step; undefined where the project was stored.
 */
export const writeProjects = async (
  steps: readonly ImportStep[],
  origin: ChangeOrigin,
): Promise<readonly (Error | undefined)[]> => {
  const errors: (Error | undefined)[] = steps.map(() => undefined);
  const batches = batchesOf(steps, origin);
  const failures: unknown[] = [];
  const report = (error: unknown): void => {
    failures.push(error);
  };
  const write = async (batch: Readonly<Batch>): Promise<void> => {
    if (!(await attempt(batch, report))) return;
    for (const project of batch) errors[project.position] = await attempt([project], report);
  };
  await mapConcurrently(batches, write, { concurrency: CONCURRENT_TRANSACTIONS });
  // One line: on a full disk every transaction fails.
  if (failures.length > 0) {
    log.error('transactions of an import failed', { transactions: failures.length, error: failures[0] });
  }
  return errors;
};
