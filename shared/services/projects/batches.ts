import type * as z from 'zod';
import {
  type Batch,
  type BatchCounts,
  type BatchItem,
  type BatchKind,
  type DryRun,
  LISTED_MAX,
  type listItems,
} from '#contract/batches.ts';
import { countEntries, entriesOf, findBatch, pageOfBatches } from '#data/batches.ts';
import { currentFields } from '#data/custom-fields.ts';
import { findImport } from '#data/imports.ts';
import { filteredPage, type Paging, pageMeta, skipOf } from '#data/paging.ts';
import { findUsers } from '#data/users.ts';
import type { Caller } from '#model/api-key.ts';
import {
  type BatchEntry,
  type BatchRecord,
  batchItemView,
  batchStateAt,
  countOutcomes,
  listedItems,
} from '#model/batch.ts';
import { noFields, type Reader } from '#model/field.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { csvLines, guarded, unguarded } from '#shared/csv/cells.ts';
import { type AppError, mustExist, notFound } from '#shared/errors.ts';
import { staffReader } from './read.ts';

export const newBatch = (
  actor: Pick<UserRecord, 'id'>,
  kind: BatchKind,
  summary: string,
  given: Partial<Pick<BatchRecord, 'id' | 'running_until' | 'reverts' | 'category' | 'header' | 'import_id'>> = {},
): BatchRecord => ({
  id: newId('bat'),
  kind,
  actor_id: actor.id,
  at: now(),
  summary,
  state: 'running',
  counts: null,
  running_until: null,
  reverts: null,
  reverted_by: null,
  category: null,
  header: null,
  import_id: null,
  ...given,
});

/**
 * The response for what an operation would do.
 * @param entries all of them, or as many as are listed with all counts.
 * @param definitions of the further fields that it may change.
 */
export const dryRunOf = (
  entries: readonly BatchEntry[],
  counts = countOutcomes(entries),
  definitions = noFields,
  reader: Reader = 'public',
): DryRun => ({
  dry_run: true,
  batch_id: null,
  counts,
  items: listedItems(entries.slice(0, LISTED_MAX).map((entry) => batchItemView(entry, definitions, reader))),
});

const textsIn = (details: unknown): string[] => {
  if (Array.isArray(details)) return details.filter((text) => typeof text === 'string');
  return typeof details === 'object' && details !== null ? Object.values(details).flatMap(textsIn) : [];
};

/** Why a change failed, as one text. */
export const reasonOf = (error: AppError): string => {
  const { message, details } = error.extra;
  return typeof message === 'string' ? message : textsIn(details).join('; ') || error.body.error;
};

/** @throws 404. */
export const getBatch = async (id: string): Promise<BatchRecord> => mustExist(await findBatch(id));

const actorView = (user: UserRecord | undefined): Batch['actor'] =>
  user?.erased_at === null ? { id: user.id, name: user.name } : null;

/** What a batch has done so far. Long ones note it from time to time, an import in its own record; of the others the entries are counted. */
const countsOf = async ({ id, counts, import_id }: BatchRecord): Promise<BatchCounts> =>
  counts ?? (import_id === null ? undefined : await findImport(import_id))?.counts ?? (await countEntries(id));

const viewsOf = async (batches: readonly BatchRecord[]): Promise<Batch[]> => {
  const actors = await findUsers([...new Set(batches.flatMap(({ actor_id }) => actor_id ?? []))]);
  const at = now();
  return await Promise.all(
    batches.map(async (batch) => ({
      ...batch,
      actor: actorView(actors.get(batch.actor_id ?? '')),
      state: batchStateAt(batch, at),
      counts: await countsOf(batch),
    })),
  );
};

/** A page of batches, newest first. */
export const listBatches = async (query: Paging): Promise<{ data: Batch[]; meta: ReturnType<typeof pageMeta> }> => {
  const { batches, total } = await pageOfBatches(skipOf(query), query.limit);
  return { data: await viewsOf(batches), meta: pageMeta(query, total, batches.length) };
};

/** @throws 404. */
export const readBatch = async (id: string): Promise<Batch> => {
  const [view] = await viewsOf([await getBatch(id)]);
  if (!view) throw notFound();
  return view;
};

interface PositionedItem {
  /** Its position. */
  readonly id: string;
  readonly item: BatchItem;
}

/** A page of the items of a batch; a short one when few of its items have the outcome, or many are large. @throws 404. */
export const listBatchItems = async (
  staff: Caller,
  id: string,
  query: z.output<typeof listItems.query>,
): Promise<{ data: BatchItem[]; meta: { pageSize: number; hasMore: boolean; nextAfter: string | null } }> => {
  await getBatch(id);
  const definitions = await currentFields();
  const { outcome, after, limit } = query;
  const items = async function* (): AsyncGenerator<PositionedItem> {
    for await (const entry of entriesOf(id, { after, ...(outcome === undefined && { pageSize: limit + 1 }) })) {
      yield { id: entry.position, item: batchItemView(entry, definitions, staffReader(staff)) };
    }
  };
  const { data, meta } = await filteredPage(
    items(),
    limit,
    ({ item }) => outcome === undefined || item.outcome === outcome,
  );
  return { data: data.map(({ item }) => item), meta };
};

/** An import of which failed rows can be exported. @throws 404 for other batches. */
export const getImport = async (id: string): Promise<BatchRecord> => {
  const batch = await getBatch(id);
  if (batch.kind !== 'import') throw notFound();
  return batch;
};

/** Added to the failed rows; taken off a file that has it from an earlier export. */
const ERROR_COLUMN = 'error';
/** Records per chunk of the stream: some dozen kilobytes. */
const RECORDS_PER_CHUNK = 50;
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?$/;

/** A cell as it came, with the guard against formulas that the export has. */
const guardedCell = (cell: string): string => (NUMBER.test(cell) ? cell : guarded(unguarded(cell)));

/**
 * Streams the failed rows of an import as CSV: the header of its file and `error`, then one record each. What a row has beyond
 * the last column with a name follows after `error`, in columns without one, so that it fails again until it is corrected.
 */
export async function* exportErrors({ id, header: stored }: BatchRecord): AsyncGenerator<string> {
  const header = stored ?? [];
  const named = header.findLastIndex((name) => name !== '') + 1;
  const positions = [...header.keys()];
  const kept = positions.filter((at) => at < named && header[at] !== ERROR_COLUMN);
  const surplus = positions.slice(named);
  const record = (cells: readonly string[], error: string): string[] => {
    const cellsAt = (some: readonly number[]) => some.map((at) => guardedCell(cells[at] ?? ''));
    return [...cellsAt(kept), guarded(error), ...cellsAt(surplus)];
  };
  yield csvLines([record(header, ERROR_COLUMN)]);
  let records: string[][] = [];
  for await (const entry of entriesOf(id)) {
    if (entry.outcome !== 'failed' || entry.cells === undefined) continue;
    records.push(record(entry.cells, entry.message ?? ''));
    if (records.length < RECORDS_PER_CHUNK) continue;
    yield csvLines(records);
    records = [];
  }
  if (records.length > 0) yield csvLines(records);
}
