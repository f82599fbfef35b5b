import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { operations } from './operations.ts';

/** Records which of the documented responses a test run has received. */

/** The variable with the folder to which the processes of a run write; nothing is recorded without it. */
export const RESPONSES_FOLDER = 'RESPONSES_SEEN_FOLDER';

const nameOfResponse = (operationId: string, status: number, code?: string): string =>
  [operationId, status, code].filter(Boolean).join(' ');

const recorded = new Set<string>();

/** Records a response, once per process. */
export const recordResponse = (operationId: string, status: number, body: unknown): void => {
  const folder = process.env[RESPONSES_FOLDER];
  const { code } = (body ?? {}) as { code?: unknown };
  const name = nameOfResponse(operationId, status, status >= 400 ? String(code) : undefined);
  if (!folder || recorded.has(name)) return;
  recorded.add(name);
  appendFileSync(join(folder, `${process.pid}-${threadId}`), `${name}\n`);
};

/** The part of the document that a run has covered. */
export interface Coverage {
  readonly documented: number;
  /** The responses that no test has received: operation, status and, for errors, the code. */
  readonly missing: readonly string[];
}

/** All documented responses: an operation's successes by status, its errors by status and code. */
const documentedResponses = (): string[] =>
  operations.flatMap(({ id, responses }) =>
    [...responses].flatMap(([status, { codes }]) =>
      codes.length === 0 ? [nameOfResponse(id, status)] : codes.map((code) => nameOfResponse(id, status, code)),
    ),
  );

/** Compares the responses recorded in a folder with the document. */
export const readCoverage = (folder: string): Coverage => {
  const seen = new Set(readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n')));
  const documented = documentedResponses();
  return { documented: documented.length, missing: documented.filter((name) => !seen.has(name)) };
};
