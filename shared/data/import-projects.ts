import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ProjectRecord } from '#model/project.ts';
import type { ChangeOrigin } from '#model/revision.ts';
import { TransactionCanceledException } from '#platform/dynamo-errors.ts';
import { log } from '#platform/log.ts';
import { Unavailable } from '#platform/unavailable.ts';
import { AppError } from '#shared/errors.ts';
import { ConflictError } from './conflict.ts';
import { projectKey } from './keys.ts';
import { projectInsertion, projectReinsertion, projectReplacement } from './projects.ts';
import { findItem } from './read.ts';
import { keyOfWrite, TRANSACTION_MAX, transact, type Write } from './write.ts';

/** A project before and after an import. */
export interface ImportStep {
  /** Undefined for a new project. */
  readonly previous: ProjectRecord | undefined;
  readonly next: ProjectRecord;
  /** Further writes of its transaction. */
  readonly further?: readonly Write[];
}

/** Limit of a transaction, which may have 4 MB: a character takes up to four bytes. */
const TRANSACTION_CHARACTERS_MAX = 900_000;

/** Enough concurrent transactions to use the table's throughput without starving other requests. */
const CONCURRENT_TRANSACTIONS = 4;

/** The writes of one project, which belong to one transaction. */
interface ProjectWrites {
  /** Index of the step. */
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
      writes + project.writes.length > TRANSACTION_MAX ||
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
const attempt = async (batch: Readonly<Batch>): Promise<Error | undefined> => {
  try {
    await transact(batch.flatMap(({ writes }) => writes));
    return undefined;
  } catch (error) {
    if (isRejection(error)) return error;
    log.error('a transaction of an import failed', { projects: batch.length, error });
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
  const work = async (): Promise<void> => {
    for await (const batch of batches) {
      if (!(await attempt(batch))) continue;
      for (const project of batch) errors[project.position] = await attempt([project]);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_TRANSACTIONS }, work));
  return errors;
};
