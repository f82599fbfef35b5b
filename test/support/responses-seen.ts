import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { operations } from './operations.ts';

/** Records which of the documented responses a test run has received. */

/** The variable with the folder to which the processes of a run write; nothing is recorded without it. */
export const RESPONSES_FOLDER = 'RESPONSES_SEEN_FOLDER';

const nameOfResponse = (operationId: string, status: number, code?: string): string =>
  [operationId, status, code].filter(Boolean).join(' ');

/** Stands for the code of a response without one. */
const NO_CODE = 'page';

const recorded = new Set<string>();

/** Records a response, once per process. */
export const recordResponse = (operationId: string, status: number, body: unknown): void => {
  const folder = process.env[RESPONSES_FOLDER];
  const { code } = (body ?? {}) as { code?: unknown };
  if (!folder) return;
  // Some errors are documented by their status alone.
  for (const name of [
    nameOfResponse(operationId, status),
    nameOfResponse(operationId, status, String(code ?? NO_CODE)),
  ]) {
    if (recorded.has(name)) continue;
    recorded.add(name);
    appendFileSync(join(folder, `${process.pid}-${threadId}`), `${name}\n`);
  }
};

/** The part of the document that a run has covered. */
export interface Coverage {
  readonly documented: number;
  /** The responses that no test has received: operation, status and, for errors, the code. */
  readonly missing: readonly string[];
}

/**
 * All documented responses: an operation's successes by status, its errors by status and code. `page` is what is recorded when the
 * only error of a status is a page, which does not show its code.
 */
const documentedResponses = () =>
  operations.flatMap(({ id, responses }) =>
    [...responses].flatMap(([status, { codes }]) => {
      if (codes.length === 0) return [{ name: nameOfResponse(id, status) }];
      const page = codes.length === 1 ? nameOfResponse(id, status, NO_CODE) : undefined;
      return codes.map((code) => ({ name: nameOfResponse(id, status, code), page }));
    }),
  );

/** Compares the responses recorded in a folder with the document. */
export const readCoverage = (folder: string): Coverage => {
  const seen = new Set(readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n')));
  const documented: readonly { name: string; page?: string | undefined }[] = documentedResponses();
  const missing = documented.filter(({ name, page }) => !seen.has(name) && (page === undefined || !seen.has(page)));
  return { documented: documented.length, missing: missing.map(({ name }) => name) };
};
