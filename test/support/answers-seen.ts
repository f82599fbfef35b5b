import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { operations } from './operations.ts';

/** Which answers of the document a run of the tests has seen. */

/** Names the folder in which the processes of a run note what they see; without it nobody notes anything. */
export const SEEN_FOLDER = 'ANSWERS_SEEN_FOLDER';

const nameOfAnswer = (operationId: string, status: number, code?: string): string =>
  [operationId, status, code].filter(Boolean).join(' ');

const noted = new Set<string>();

/** Notes that a test has seen an answer, once per process. */
export const noteAnswer = (operationId: string, status: number, body: unknown): void => {
  const folder = process.env[SEEN_FOLDER];
  const { code } = (body ?? {}) as { code?: unknown };
  const name = nameOfAnswer(operationId, status, status >= 400 ? String(code) : undefined);
  if (!folder || noted.has(name)) return;
  noted.add(name);
  appendFileSync(join(folder, `${process.pid}-${threadId}`), `${name}\n`);
};

/** How much of the document a run has seen. */
export interface Coverage {
  readonly documented: number;
  /** The answers that no test has seen: operation, status and, of a failure, its code. */
  readonly missing: readonly string[];
}

/** Every answer that the document promises: an operation's good ones by status, its failures by status and code. */
const documentedAnswers = (): string[] =>
  operations.flatMap(({ id, responses }) =>
    [...responses].flatMap(([status, { codes }]) =>
      codes.length === 0 ? [nameOfAnswer(id, status)] : codes.map((code) => nameOfAnswer(id, status, code)),
    ),
  );

/** Compares what the processes of a run have noted with the document. */
export const coverageIn = (folder: string): Coverage => {
  const seen = new Set(readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n')));
  const documented = documentedAnswers();
  return { documented: documented.length, missing: documented.filter((name) => !seen.has(name)) };
};
