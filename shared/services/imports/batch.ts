import { type BatchCounts, type ImportReport, LISTED_MAX } from '#contract/batches.ts';
import { IMPORT_COLUMNS_MAX, type ImportProblem, LISTED_PROBLEMS_MAX } from '#contract/imports.ts';
import { entriesOf, findEntries, newEntryWrite, putEntries, undoRemoval } from '#data/batches.ts';
import type { Write } from '#data/write.ts';
import {
  type BatchEntry,
  type BatchRecord,
  noOutcomes,
  rowPosition,
  stateBefore,
  unwrittenEntry,
  writtenEntry,
} from '#model/batch.ts';
import { firstCharacters } from '#model/characters.ts';
import type { ProjectRecord } from '#model/project.ts';
import { bytesInResponse } from '#model/response-size.ts';
import type { UserRecord } from '#model/user.ts';
import { newBatch } from '#services/projects/batches.ts';
import type { MappedColumn } from '#shared/csv/mapping.ts';
import type { Problem, Row } from './validate.ts';

type ImportError = ImportReport['errors'][number];

/** Limit of the listed errors, in bytes of the response, which has the items of a dry run too. */
const ERRORS_BYTES_MAX = 1_500_000;
const COLUMN_CHARACTERS_MAX = 200;
/** Of an entry, whose item may have 400 KB: a character takes up to six bytes, as an escape sequence of JSON. */
const CELLS_CHARACTERS_MAX = 60_000;
/** Of an entry, those beyond the last column included. */
const CELLS_MAX = 2 * IMPORT_COLUMNS_MAX;
const MESSAGE_CHARACTERS_MAX = 2000;
/** Of the different problems that are counted: their messages may name what a row has. */
const PROBLEMS_MAX = 200;
const PROBLEM_CHARACTERS_MAX = 300;
const FILENAME_CHARACTERS_MAX = 200;

/** The first texts, up to a total length; a longer file than that in one record is a misplaced quote. */
const shortened = (texts: readonly string[]): string[] => {
  let left = CELLS_CHARACTERS_MAX;
  return texts.slice(0, CELLS_MAX).map((text) => {
    const part = firstCharacters(text, left);
    left = Math.max(0, left - part.length);
    return part;
  });
};

const textOf = ({ field, message }: Problem): string => (field === null ? message : `${field}: ${message}`);

const messageOf = (problems: readonly Problem[]): string =>
  firstCharacters(problems.map(textOf).join('; '), MESSAGE_CHARACTERS_MAX);

/** Counts the outcomes of rows, collects their entries, and lists their errors, as far as they fit into one response. */
export class ReportBuilder {
  readonly #columnOf: ReadonlyMap<string, string>;
  readonly #counts: BatchCounts;
  readonly #errors: ImportError[] = [];
  /** The number of rows by problem. */
  readonly #problems = new Map<string, number>();
  #entries: BatchEntry[] = [];
  #errorBytes = 0;

  /** @param counts of rows that earlier runs have imported. */
  constructor(columns: readonly MappedColumn[], counts: BatchCounts = noOutcomes) {
    this.#counts = { ...counts };
    this.#columnOf = new Map(columns.map(({ column, field }) => [field, column]));
  }

  /** Counts a row that was written, or would be in a dry run. @param entry unless it is stored already. */
  written(action: 'create' | 'update', entry: BatchEntry | undefined): void {
    this.#counts[action === 'create' ? 'created' : 'updated'] += 1;
    if (entry) this.#entries.push(entry);
  }

  /** Counts a row whose entry is stored already. */
  stored({ outcome, row, message }: BatchEntry): void {
    this.#counts[outcome] += 1;
    if (row !== null && message !== null) this.#addError({ row, column: null, message });
  }

  /** Counts a row that was written together with a later one, and whose own entry may not be stored. */
  writtenEarlier(entry: BatchEntry): void {
    this.#counts[entry.outcome] += 1;
    this.#entries.push(entry);
  }

  /** Counts a row whose project has its values already. */
  unchanged({ number }: Row, project: ProjectRecord): void {
    this.#counts.updated += 1;
    const place = { position: rowPosition(number), row: number, outcome: 'updated' } as const;
    this.#entries.push(unwrittenEntry(place, project, null));
  }

  failed(row: Row, problems: readonly Problem[]): void {
    this.#counts.failed += 1;
    this.#explain(row.number, problems);
    const place = { position: rowPosition(row.number), row: row.number, outcome: 'failed' } as const;
    const cells = shortened(row.cells);
    this.#entries.push(unwrittenEntry(place, undefined, messageOf(problems), cells));
  }

  /** Counts a row as skipped. @param reason listed among the errors. */
  skipped({ number }: Row, match: ProjectRecord, reason?: Problem): void {
    this.#counts.skipped += 1;
    if (reason) this.#explain(number, [reason]);
    const place = { position: rowPosition(number), row: number, outcome: 'skipped' } as const;
    this.#entries.push(unwrittenEntry(place, match, reason ? messageOf([reason]) : null));
  }

  /** Counts rows, of which `firstRow` is the first, as failed because the time was up. */
  outOfTime(firstRow: number, count: number): void {
    this.#counts.failed += count;
    // Some of the rows after the first one may be imported, so there is no part of the file to name.
    const next = 'Import the whole file again with "on_conflict": "skip".';
    const message = `The time was up before this row and ${count - 1} of those after it. ${next}`;
    this.#addError({ row: firstRow, column: null, message });
    const place = { position: rowPosition(firstRow), row: firstRow, outcome: 'failed' } as const;
    this.#entries.push(unwrittenEntry(place, undefined, message));
  }

  /** The entries since the last call. */
  takeEntries(): readonly BatchEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }

  /** The counts so far. */
  counts(): BatchCounts {
    return { ...this.#counts };
  }

  /** The most frequent problems. */
  problems(): ImportProblem[] {
    return [...this.#problems]
      .map(([message, rows]) => ({ message, rows }))
      .toSorted((one, other) => other.rows - one.rows)
      .slice(0, LISTED_PROBLEMS_MAX);
  }

  /** @returns the counts, and the errors in the order of the rows. */
  build(): Pick<ImportReport, 'created' | 'updated' | 'skipped' | 'failed' | 'errors'> {
    return { ...this.#counts, errors: this.#errors.toSorted((a, b) => a.row - b.row) };
  }

  #explain(row: number, problems: readonly Problem[]): void {
    for (const problem of problems) {
      const { field } = problem;
      const name = field === null ? undefined : this.#columnOf.get(field);
      const column = name === undefined ? null : firstCharacters(name, COLUMN_CHARACTERS_MAX);
      const message = textOf(problem);
      this.#addError({ row, column, message });
      this.#countProblem(firstCharacters(message, PROBLEM_CHARACTERS_MAX));
    }
  }

  #countProblem(message: string): void {
    const rows = this.#problems.get(message) ?? 0;
    if (rows > 0 || this.#problems.size < PROBLEMS_MAX) this.#problems.set(message, rows + 1);
  }

  #addError(error: ImportError): void {
    if (this.#errorBytes > ERRORS_BYTES_MAX) return;
    this.#errorBytes += bytesInResponse(JSON.stringify(error)) + 1;
    const isLast = this.#errorBytes > ERRORS_BYTES_MAX;
    const message = 'One response cannot hold more errors; the errors from here on are counted, not listed.';
    this.#errors.push(isLast ? { row: error.row, column: null, message } : error);
  }
}

/** The file of an import. */
interface ImportedFile {
  readonly header: readonly string[];
  /** The most cells of a record. */
  readonly width: number;
  /** The number of records without the header. */
  readonly rows: number;
  readonly filename: string | undefined;
}

/** The batch of an import that begins. */
export const newImportBatch = (
  actor: Pick<UserRecord, 'id'>,
  { header, width, rows, filename }: ImportedFile,
  given: Partial<Pick<BatchRecord, 'id' | 'running_until' | 'import_id'>>,
): BatchRecord => {
  const source = filename ? ` from "${firstCharacters(filename, FILENAME_CHARACTERS_MAX)}"` : '';
  return newBatch(actor, 'import', `Import of ${rows} ${rows === 1 ? 'row' : 'rows'}${source}`, {
    ...given,
    header: shortened([...header, ...new Array<string>(Math.max(0, width - header.length)).fill('')]),
  });
};

/** A project to be written, with the rows that it results from. */
export interface PendingProject {
  /** `previous` is undefined for a new project. */
  step: { readonly previous: ProjectRecord | undefined; readonly next: ProjectRecord };
  readonly rows: { readonly row: Row; readonly action: 'create' | 'update' }[];
}

const outcomes = { create: 'created', update: 'updated' } as const;

type PendingRow = PendingProject['rows'][number];

const placeOf = ({ row, action }: PendingRow) => ({
  position: rowPosition(row.number),
  row: row.number,
  outcome: outcomes[action],
});

/** A project that the batch has written. */
interface Written {
  /** Its state before the batch; undefined for a created one. */
  readonly before: ProjectRecord | undefined;
  /** Of the entry that holds its undo. */
  readonly position: string;
}

/**
 * The entries of an import. Those of written projects are stored with them, all others after each chunk of rows. A row with
 * an entry is not imported again, whatever happens in between.
 */
export class ImportBatch {
  /** Undefined for a dry run. */
  readonly #id: string | undefined;
  /** What the present chunk, or a dry run, has written. */
  readonly #written = new Map<string, Written>();
  /** The rows with the undo of projects that earlier chunks have written. */
  readonly #earlier = new Map<string, number>();
  /** The first row about a project, by its id. */
  readonly #rowOf = new Map<string, number>();
  /** The first entries of a dry run. */
  readonly #planned: BatchEntry[] = [];

  constructor(id: string | undefined) {
    this.#id = id;
  }

  /** What a dry run would do with the first rows. */
  planned(): BatchEntry[] {
    return this.#planned.toSorted((one, other) => (one.row ?? 0) - (other.row ?? 0)).slice(0, LISTED_MAX);
  }

  /** Reads the projects of rows, and the written ones, from the entries of earlier runs. */
  async resume(): Promise<void> {
    if (this.#id === undefined) return;
    for await (const entry of entriesOf(this.#id)) this.#noteEntry(entry);
  }

  /**
   * Reads the projects of rows that a run has imported which ended, or still works, after its last checkpoint.
   * @param rows the ones after the checkpoint.
   */
  async loadRows([first]: readonly Row[]): Promise<void> {
    if (this.#id === undefined || !first) return;
    const after = rowPosition(first.number - 1);
    for await (const entry of entriesOf(this.#id, { after })) this.#noteEntry(entry);
  }

  /** Notes that a row is about a project. The first one stays: it may be planned again after a conflict. */
  noteRow(projectId: string, row: number): void {
    if (!this.#rowOf.has(projectId)) this.#rowOf.set(projectId, row);
  }

  /** Whether no row but this one is about the project. */
  isFree(projectId: string, row: number): boolean {
    return (this.#rowOf.get(projectId) ?? row) === row;
  }

  /** Reports the rows that were imported by a run that ended, or still works, after them. @returns the other rows. */
  async withoutStored<R extends Pick<Row, 'number'>>(rows: readonly R[], report: ReportBuilder): Promise<R[]> {
    if (this.#id === undefined) return [...rows];
    const stored = await findEntries(
      this.#id,
      rows.map(({ number }) => rowPosition(number)),
    );
    const done = new Set<number>();
    for (const entry of stored) {
      if (entry.row === null) continue;
      done.add(entry.row);
      report.stored(entry);
      this.#noteEntry(entry);
    }
    for (const { project, earlier_rows = [] } of stored) {
      for (const { row, outcome } of earlier_rows) {
        if (row === null || done.has(row)) continue;
        done.add(row);
        report.writtenEarlier({
          ...unwrittenEntry({ position: rowPosition(row), row, outcome }, undefined, null),
          project,
        });
      }
    }
    return rows.filter(({ number }) => !done.has(number));
  }

  /** Reads the undo of projects that earlier chunks have written. */
  async prepare(pending: readonly PendingProject[]): Promise<void> {
    const again = pending.flatMap(({ step: { previous } }) => {
      const row = previous && !this.#written.has(previous.id) ? this.#earlier.get(previous.id) : undefined;
      return previous && row !== undefined ? [{ previous, position: rowPosition(row) }] : [];
    });
    if (this.#id === undefined || again.length === 0) return;
    const entries = await findEntries(
      this.#id,
      again.map(({ position }) => position),
    );
    const byPosition = new Map(entries.map((entry) => [entry.position, entry]));
    for (const { previous, position } of again) {
      const entry = byPosition.get(position);
      if (entry?.undo) this.#written.set(previous.id, { before: stateBefore(previous, entry), position });
    }
  }

  /** The entry with the undo of a project, for its transaction. */
  writesOf(pending: PendingProject): readonly Write[] {
    const entry = this.#lastEntry(pending);
    if (this.#id === undefined || !entry) return [];
    const earlier = this.#written.get(pending.step.next.id);
    return [newEntryWrite(this.#id, entry), ...(earlier ? [undoRemoval(this.#id, earlier.position)] : [])];
  }

  /** Reports the rows of a written project. */
  addWritten(pending: PendingProject, report: ReportBuilder): void {
    const { step, rows } = pending;
    const last = rows.at(-1);
    if (!last) return;
    for (const row of rows.slice(0, -1)) report.written(row.action, unwrittenEntry(placeOf(row), step.next, null));
    // The entry of the last row is stored with the project.
    report.written(last.action, this.#listsMore ? this.#lastEntry(pending) : undefined);
    this.#written.set(step.next.id, { before: this.#before(pending), position: placeOf(last).position });
  }

  /** Stores the entries that were not stored with their project. */
  async store(entries: readonly BatchEntry[]): Promise<void> {
    if (this.#id !== undefined) {
      await putEntries(this.#id, entries);
      return;
    }
    if (!this.#listsMore) return;
    // The id of a project that was not created means nothing.
    const planned = entries.map((entry) => ({
      ...entry,
      project: entry.project && this.#isNew(entry.project.id) ? null : entry.project,
    }));
    this.#planned.push(...planned);
  }

  /** Drops what the entries say too, so that memory does not grow with the rows. */
  release(): void {
    if (this.#id === undefined) {
      if (!this.#listsMore) this.#written.clear();
      return;
    }
    for (const [id, { position }] of this.#written) this.#earlier.set(id, Number(position));
    this.#written.clear();
  }

  /** Whether this is a dry run whose first entries are not complete. */
  get #listsMore(): boolean {
    return this.#id === undefined && this.#planned.length < LISTED_MAX;
  }

  #noteEntry({ undo, project, row }: BatchEntry): void {
    if (!project || row === null) return;
    this.noteRow(project.id, row);
    if (undo) this.#earlier.set(project.id, row);
  }

  #isNew(id: string): boolean {
    const written = this.#written.get(id);
    return written !== undefined && written.before === undefined;
  }

  /** A project may have been written by earlier rows. */
  #before({ step }: PendingProject): ProjectRecord | undefined {
    const earlier = this.#written.get(step.next.id);
    return earlier ? earlier.before : step.previous;
  }

  #lastEntry(pending: PendingProject): BatchEntry | undefined {
    const row = pending.rows.at(-1);
    if (!row) return undefined;
    const entry = writtenEntry(placeOf(row), this.#before(pending), pending.step.next);
    const earlier = pending.rows.slice(0, -1).map((one) => ({ row: one.row.number, outcome: outcomes[one.action] }));
    return earlier.length > 0 ? { ...entry, earlier_rows: earlier } : entry;
  }
}
