import type { Batch, BatchCounts, BatchItem, BatchOutcome } from '#contract/batches.ts';
import { countEntries, entriesOf, findBatch, pageOfBatches } from '#data/batches.ts';
import { findImport } from '#data/imports.ts';
import { findUsers } from '#data/users.ts';
import { type BatchEntry, type BatchRecord, batchItemView, batchStateAt } from '#model/batch.ts';
import { type Paging, pageMeta, skipOf } from '#model/paging.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { csvLines, guarded, unguarded } from '#shared/csv/cells.ts';
import { notFound } from '#shared/errors.ts';

/** @throws 404. */
export const getBatch = async (id: string): Promise<BatchRecord> => {
  const batch = await findBatch(id);
  if (!batch) throw notFound();
  return batch;
};

const actorView = (user: UserRecord | undefined): Batch['actor'] =>
  user?.erased_at === null ? { id: user.id, name: user.name } : null;

/** What a batch has done so far. An import tells at the end of each chunk; of other batches the entries are counted. */
const countsOf = async ({ id, counts, import_id }: BatchRecord): Promise<BatchCounts> =>
  counts ?? (import_id === null ? undefined : await findImport(import_id))?.counts ?? (await countEntries(id));

const viewsOf = async (batches: readonly BatchRecord[]): Promise<Batch[]> => {
  const actors = await findUsers([...new Set(batches.flatMap(({ actor_id }) => actor_id ?? []))]);
  const at = now();
  return await Promise.all(
    batches.map(async (batch) => ({
      id: batch.id,
      kind: batch.kind,
      actor: actorView(actors.get(batch.actor_id ?? '')),
      at: batch.at,
      state: batchStateAt(batch, at),
      counts: await countsOf(batch),
      summary: batch.summary,
      reverts: batch.reverts,
      reverted_by: batch.reverted_by,
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

/** How many entries a page with a filter looks at. */
const SCANNED_MAX = 1000;

/** A page of the items of a batch; a short one when few of its items have the outcome. @throws 404. */
export const listBatchItems = async (
  id: string,
  query: {
    readonly outcome?: BatchOutcome | undefined;
    readonly after?: string | undefined;
    readonly limit: number;
  },
): Promise<{ data: BatchItem[]; meta: { pageSize: number; hasMore: boolean; nextAfter: string | null } }> => {
  await getBatch(id);
  const { outcome, after, limit } = query;
  const data: BatchItem[] = [];
  let scanned = 0;
  let last: string | null = null;
  const meta = (hasMore: boolean) => ({ pageSize: limit, hasMore, nextAfter: hasMore ? last : null });
  const pageSize = outcome === undefined ? limit + 1 : SCANNED_MAX + 1;
  for await (const entry of entriesOf(id, { after, pageSize })) {
    if (data.length === limit || scanned === SCANNED_MAX) return { data, meta: meta(true) };
    scanned += 1;
    last = entry.position;
    if (outcome === undefined || entry.outcome === outcome) data.push(batchItemView(entry));
  }
  return { data, meta: meta(false) };
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

const errorRecord = (header: readonly string[], kept: readonly number[], entry: BatchEntry): string[] => {
  const cells = entry.cells ?? [];
  const known = kept.map((index) => cells[index] ?? '');
  const more = cells.slice(header.length);
  return [...[...known, ...more].map(guardedCell), guarded(entry.message ?? '')];
};

/** Streams the failed rows of an import as CSV: the header of its file and `error`, then one record each. */
export async function* exportErrors({ id, header }: BatchRecord): AsyncGenerator<string> {
  const names = header ?? [];
  const kept = names.flatMap((name, index) => (name === ERROR_COLUMN ? [] : [index]));
  yield csvLines([[...kept.map((index) => guarded(names[index] ?? '')), ERROR_COLUMN]]);
  let records: string[][] = [];
  for await (const entry of entriesOf(id)) {
    if (entry.outcome !== 'failed' || entry.cells === undefined) continue;
    records.push(errorRecord(names, kept, entry));
    if (records.length < RECORDS_PER_CHUNK) continue;
    yield csvLines(records);
    records = [];
  }
  if (records.length > 0) yield csvLines(records);
}
