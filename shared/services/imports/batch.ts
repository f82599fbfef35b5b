import { LISTED_MAX } from '#contract/batches.ts';
import { entriesOf, findEntries, newEntryWrite, putEntries, undoRemoval } from '#data/batches.ts';
import type { Write } from '#data/write.ts';
import {
  type BatchEntry,
  type BatchRecord,
  rowPosition,
  stateBefore,
  unwrittenEntry,
  writtenEntry,
} from '#model/batch.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { UserRecord } from '#model/user.ts';
import { newBatch } from '#services/batches/record.ts';
import { type ReportBuilder, shortened } from './report.ts';
import type { Row } from './validate.ts';

/** The batch of an import that begins. */
export const newImportBatch = (
  actor: Pick<UserRecord, 'id'>,
  header: readonly string[],
  rows: number,
  {
    filename,
    ...given
  }: { readonly filename: string | undefined } & Partial<Pick<BatchRecord, 'running_until' | 'import_id'>>,
): BatchRecord => {
  const source = filename ? ` from "${filename.slice(0, 200).toWellFormed()}"` : '';
  return newBatch(actor, 'import', `Import of ${rows} ${rows === 1 ? 'row' : 'rows'}${source}`, {
    ...given,
    header: shortened(header).map((name) => name.toWellFormed()),
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
  /** The first entries of a dry run. */
  readonly #planned: BatchEntry[] = [];

  constructor(id: string | undefined) {
    this.#id = id;
  }

  /** What a dry run would do with the first rows. */
  planned(): BatchEntry[] {
    return this.#planned.toSorted((one, other) => (one.row ?? 0) - (other.row ?? 0)).slice(0, LISTED_MAX);
  }

  /** Reads the written projects from the entries of an earlier run. */
  async resume(): Promise<void> {
    if (this.#id === undefined) return;
    for await (const { undo, project, row } of entriesOf(this.#id)) {
      if (undo && project && row !== null) this.#earlier.set(project.id, row);
    }
  }

  /** Reports the rows that were imported by a run that ended, or still works, after them. @returns the other rows. */
  async withoutStored(rows: readonly Row[], report: ReportBuilder): Promise<Row[]> {
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
      if (entry.undo && entry.project) this.#earlier.set(entry.project.id, entry.row);
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
