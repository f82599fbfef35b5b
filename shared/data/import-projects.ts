import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { ImportStep } from '#domain/projects/import-ports.ts';
import { log } from '#platform/log.ts';
import { AppError } from '#shared/errors.ts';
import { type Key, projectKey } from './keys.ts';
import { insertionOf, ProjectChanged, replacementOf, returnOf } from './projects.ts';
import { findItem } from './read.ts';
import { ConditionFailed, TRANSACTION_MAX, transact, type Write } from './write.ts';

// A transaction takes 4 MB; in the worst case a character takes four bytes.
const CHARACTERS_MAX = 900_000;

// As many transactions as keep the table busy without crowding out everybody else.
const AT_ONCE = 8;

/** One project's writes, which only go together. */
interface Part {
  readonly position: number;
  readonly next: ImportStep['next'];
  readonly writes: readonly Write[];
  readonly keys: readonly string[];
  readonly characters: number;
}

const keyOf = (write: Write): Key => {
  if ('put' in write) return write.put;
  if ('update' in write) return write.update;
  return 'remove' in write ? write.remove : write.check;
};

const partOf = async ({ previous, next }: ImportStep, position: number): Promise<Part> => {
  // Only an id that the file names can have been another project's before, and then the version is not the first.
  const insertion = next.version > 1 ? [...insertionOf(next), ...returnOf(next)] : insertionOf(next);
  const writes = previous ? await replacementOf(previous, next) : insertion;
  const keys = writes.map((write) => {
    const { pk, sk } = keyOf(write);
    return JSON.stringify([pk, sk]);
  });
  return { position, next, writes, keys, characters: JSON.stringify(next).length };
};

type Batch = [Part, ...Part[]];

/** Puts parts together as far as one transaction takes them; it may not touch an item twice. */
const batchesOf = (parts: readonly Part[]): Batch[] => {
  const batches: Batch[] = [];
  let batch: Batch | undefined;
  let writes = 0;
  let characters = 0;
  let keys = new Set<string>();
  for (const part of parts) {
    const isFull =
      writes + part.writes.length > TRANSACTION_MAX ||
      characters + part.characters > CHARACTERS_MAX ||
      part.keys.some((key) => keys.has(key));
    if (isFull || batch === undefined) {
      batch = [part];
      batches.push(batch);
      writes = 0;
      characters = 0;
      keys = new Set();
    } else {
      batch.push(part);
    }
    writes += part.writes.length;
    characters += part.characters;
    for (const key of part.keys) keys.add(key);
  }
  return batches;
};

const isRefusal = (error: unknown): error is Error =>
  error instanceof ConditionFailed ||
  error instanceof ProjectChanged ||
  error instanceof AppError ||
  error instanceof TransactionCanceledException;

/** Whether a part stands in the table, also when nobody could say so at the time; its transaction is whole or not at all. */
const isStored = async ({ next }: Part): Promise<boolean> => {
  const item = await findItem(projectKey(next.id));
  return item?.version === next.version && item.updated_at === next.updated_at;
};

/** @returns why it was not done; undefined when it is done. It never throws: other transactions are on their way. */
const attempt = async (parts: Readonly<Batch>): Promise<Error | undefined> => {
  try {
    await transact(parts.flatMap(({ writes }) => writes));
    return undefined;
  } catch (error) {
    if (isRefusal(error)) return error;
    log.error('a part of an import broke off', { projects: parts.length, error: error as Error });
    // The answer may have been lost behind a transaction that went through: then trying it again would make everything twice.
    return (await isStored(parts[0]).catch(() => false)) ? undefined : new Error('The table could not be reached.');
  }
};

/**
 * Stores many projects, several in one transaction, each whole or not at all and without any event. Where a transaction is
 * refused its projects are tried one by one, so that only those fail that are in somebody's way.
 * Whether their categories exist is not asked here: transactions that check the same few items get in each other's way.
 * @returns for each step why it was refused; undefined where it is done.
 */
export const writeProjects = async (steps: readonly ImportStep[]): Promise<readonly (Error | undefined)[]> => {
  const outcomes: (Error | undefined)[] = steps.map(() => undefined);
  const batches = batchesOf(await Promise.all(steps.map(partOf))).values();
  const work = async (): Promise<void> => {
    for (const batch of batches) {
      if (!(await attempt(batch))) continue;
      for (const part of batch) outcomes[part.position] = await attempt([part]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcomes;
};
