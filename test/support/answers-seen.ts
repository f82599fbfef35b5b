import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { operations } from './operations.ts';

/** Which answers of the document a run of the tests has seen. */

/** Names the folder in which the processes of a run note what they see; without it nobody notes anything. */
export const SEEN_FOLDER = 'ANSWERS_SEEN_FOLDER';

/** An answer as the report names it. */
export const nameOfAnswer = (operationId: string, status: number): string => `${operationId} ${status}`;

const noted = new Set<string>();

/** Notes that a test has seen an answer, once per process. */
export const noteAnswer = (operationId: string, status: number): void => {
  const folder = process.env[SEEN_FOLDER];
  const name = nameOfAnswer(operationId, status);
  if (folder === undefined || noted.has(name)) return;
  noted.add(name);
  appendFileSync(join(folder, `${process.pid}-${threadId}`), `${name}\n`);
};

/** How much of the document a run has seen. */
export interface Coverage {
  readonly documented: number;
  readonly exercised: number;
  /** The answers that no test has seen, by operation: `projects.submit 409 422`. */
  readonly missing: readonly string[];
}

/** Compares what the processes of a run have noted with the document. */
export const coverageIn = (folder: string): Coverage => {
  const seen = new Set(readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n')));
  const wanted = operations.map(({ id, responses }) => ({ id, statuses: [...responses.keys()] }));
  const unseen = wanted.map(({ id, statuses }) => ({
    id,
    statuses: statuses.filter((status) => !seen.has(nameOfAnswer(id, status))),
  }));
  const count = (all: readonly { readonly statuses: readonly number[] }[]) =>
    all.reduce((sum, { statuses }) => sum + statuses.length, 0);
  return {
    documented: count(wanted),
    exercised: count(wanted) - count(unseen),
    missing: unseen
      .filter(({ statuses }) => statuses.length > 0)
      .map(({ id, statuses }) => `${id} ${statuses.join(' ')}`),
  };
};
