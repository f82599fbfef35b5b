import type { BatchCounts } from '#contract/batches.ts';
import type { ImportProblem, ImportState, ImportSummary } from '#contract/imports.ts';
import type { ImportMapping } from '#contract/projects.ts';
import { noOutcomes } from './batch.ts';
import { DAY_MS } from './days.ts';

export interface ImportRecord extends Readonly<ImportSummary> {
  /** `waiting` also after the upload, of which the service is not notified, and before the first start. */
  readonly state: ImportState;
  /** Null before the first start. */
  readonly mapping: ImportMapping | null;
  /** The separator of the file, as the start has detected it. */
  readonly separator: string | null;
  /** The records after the header up to which all are imported, those without text included; some after them may be too. */
  readonly rows_done: number;
  /** The batch, which does not exist, whose entries are those of the last dry run. */
  readonly dry_run: {
    readonly entries_id: string;
    readonly counts: BatchCounts;
    /** Absent in dry runs of earlier versions. */
    readonly problems?: readonly ImportProblem[];
  } | null;
  /** The run that imports the rows; an earlier one ends. */
  readonly run: string | null;
  /** The latest sign of life of the run. */
  readonly seen_at: string | null;
  /** The slugs of categories, by id, when each run began: they may have been renamed since. */
  readonly categories: Readonly<Record<string, string>>;
}

export const newImport = (id: string, filename: string, bytes: number, at: string): ImportRecord => ({
  id,
  filename,
  bytes,
  state: 'waiting',
  created_at: at,
  mapping: null,
  separator: null,
  rows_total: null,
  rows_done: 0,
  counts: noOutcomes,
  batch_id: null,
  dry_run: null,
  started_at: null,
  cancel_requested_at: null,
  finished_at: null,
  error: null,
  run: null,
  seen_at: null,
  categories: {},
});

/** How long a file can be started after it was announced. It is deleted a day after its upload. */
const STARTABLE_MS = DAY_MS;

/** Whether an import waits for its file or for its start. */
export const isStartable = ({ state, created_at }: ImportRecord, at: string): boolean =>
  (state === 'waiting' || state === 'uploaded') && Date.parse(at) < Date.parse(created_at) + STARTABLE_MS;

export const hasEnded = (state: ImportState): boolean =>
  state === 'done' || state === 'failed' || state === 'cancelled';

/** The state at a time, ISO 8601: an import that was not started in time has failed. */
const stateAt = (record: ImportRecord, at: string, hasFile: boolean) => {
  const { state, finished_at, error } = record;
  if (state !== 'waiting' && state !== 'uploaded') return { state, finished_at, error };
  if (isStartable(record, at)) return { state: hasFile ? ('uploaded' as const) : state, finished_at, error };
  return {
    state: 'failed' as const,
    finished_at: new Date(Date.parse(record.created_at) + STARTABLE_MS).toISOString(),
    error: 'It was not started within a day, after which its file is deleted.',
  };
};

/** The import as the API returns it. @param hasFile whether the file of a waiting import is there. */
export const importView = (record: ImportRecord, at: string, hasFile: boolean): ImportSummary => {
  const { id, filename, bytes, rows_total, counts, batch_id, created_at, started_at, cancel_requested_at } = record;
  return {
    id,
    filename,
    bytes,
    rows_total,
    rows_done: Object.values(counts).reduce((sum, count) => sum + count, 0),
    counts,
    batch_id,
    created_at,
    started_at,
    cancel_requested_at,
    ...stateAt(record, at, hasFile),
  };
};
