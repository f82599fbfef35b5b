import { type BatchItem, LISTED_MAX } from '#contract/batches.ts';
import { entryWrite, putEntries, undoRemoval } from '#data/batches.ts';
import type { Write } from '#data/write.ts';
import { type BatchEntry, batchItemView, rowPosition, unwrittenEntry, writtenEntry } from '#model/batch.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { ReportBuilder } from './report.ts';
import type { Row } from './validate.ts';

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

/** The entries of an import. Those of written projects are stored with them, all others after each chunk of rows. */
export class ImportBatch {
  /** Undefined for a dry run. */
  readonly #id: string | undefined;
  readonly #written = new Map<string, Written>();
  /** Of a dry run. */
  readonly #items: BatchItem[] = [];

  constructor(id: string | undefined) {
    this.#id = id;
  }

  /** What a dry run would do with the first rows. */
  items(): BatchItem[] {
    return this.#items.toSorted((one, other) => (one.row ?? 0) - (other.row ?? 0)).slice(0, LISTED_MAX);
  }

  /** The entry with the undo of a project, for its transaction. */
  writesOf(pending: PendingProject): readonly Write[] {
    const entry = this.#lastEntry(pending);
    if (this.#id === undefined || !entry) return [];
    const earlier = this.#written.get(pending.step.next.id);
    return [entryWrite(this.#id, entry), ...(earlier ? [undoRemoval(this.#id, earlier.position)] : [])];
  }

  /** Reports the rows of a written project. */
  addWritten(pending: PendingProject, report: ReportBuilder): void {
    const { step, rows } = pending;
    const last = this.#lastEntry(pending);
    for (const row of rows) {
      const isLast = row === rows.at(-1);
      const entry = isLast ? last : unwrittenEntry(placeOf(row), step.next, null);
      report.written(row.action, this.#id !== undefined && isLast ? undefined : entry);
    }
    if (!last) return;
    const before = this.#before(pending);
    this.#written.set(step.next.id, { before, position: last.position });
  }

  /** Stores the entries that were not stored with their project. */
  async store(entries: readonly BatchEntry[]): Promise<void> {
    if (this.#id !== undefined) {
      await putEntries(this.#id, entries);
      return;
    }
    // The id of a project that was not created means nothing.
    const items = entries.map((entry) => {
      const project = entry.project && this.#isNew(entry.project.id) ? null : entry.project;
      return batchItemView({ ...entry, project });
    });
    if (this.#items.length < LISTED_MAX) this.#items.push(...items);
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
    return row && writtenEntry(placeOf(row), this.#before(pending), pending.step.next);
  }
}
