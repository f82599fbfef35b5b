import { DeleteObjectCommand, GetObjectCommand, type GetObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, onTestFinished } from 'vitest';
import { countEntries, entriesOf, findBatch } from '#data/batches.ts';
import { findCategory } from '#data/categories.ts';
import { claimImport, findImport } from '#data/imports.ts';
import { findProject } from '#data/projects.ts';
import { updateItem } from '#data/write.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { importProjects } from '#services/imports/import-rows.ts';
import { announceImport, cancelImport, readImport, startImport } from '#services/imports/manage.ts';
import { runImport } from '#services/imports/run.ts';
import { finishRevert, revertBatch } from '#services/projects/revert-batch.ts';
import { Random } from '#test/catalog/random.ts';
import { runAsHandler } from '#test/support/aws-calls.ts';
import { unique } from '#test/support/fixtures.ts';
import { inDyingProcess } from '#test/support/mortal-process.ts';
import { interceptTable } from '#test/support/table-calls.ts';
import { csv } from '#test/support/uploads.ts';

// A random file, imported by runs that die between any two writes, overlap and are repeated, against the same file imported in
// one request.

const admin = { id: 'usr_admin', is_admin: true } as UserRecord;

/** Makes the storage return a file. */
const provide = (file: Buffer): void => {
  const storage = mockClient(S3Client);
  storage.on(GetObjectCommand).callsFake(({ Range = '' }: GetObjectCommandInput) => {
    const [from, to] = Range.replace('bytes=', '').split('-').map(Number);
    const bytes = file.subarray(from, (to ?? 0) + 1);
    return { Body: { transformToByteArray: async () => bytes }, ContentRange: `${Range}/${file.length}` };
  });
  storage.on(DeleteObjectCommand).resolves({});
  onTestFinished(() => storage.restore());
};

interface RowPlan {
  readonly slug: string;
  readonly name: string;
  readonly url: string;
  readonly description: string;
  readonly categories: string;
}

const randomRows = (random: Random, count: number): RowPlan[] =>
  Array.from({ length: count }, () => {
    const number = random.below(count);
    return {
      slug: random.chance(0.6) ? `-${number}` : '',
      name: `Place ${random.below(4)}`,
      url: `https://%-${random.below(count)}.example`,
      description: random.chance(0.1) ? '' : `Text ${random.below(3)}`,
      categories: random.pick(['Food', 'Food|Drink', 'Food+', 'FOOD|Food#', '']),
    };
  });

/** The file of rows, some of which follow a record without text. */
const fileOf = (rows: readonly RowPlan[], word: string): string =>
  csv(
    ['slug', 'name', 'url', 'description', 'categories'],
    ...rows.flatMap(({ slug, name, url, description, categories }, at) => [
      ...(at % 3 === 0 ? [['', ' ']] : []),
      [
        slug === '' ? '' : `${word}${slug}`,
        `${word} ${name}`,
        url.replace('%', word),
        description,
        categories === '' ? '' : categories.replace(/\w+/g, (one) => `${one} ${word}`),
      ],
    ]),
  );

/** What a batch has done: its entries, and the projects that they name. */
const resultOf = async (batchId: string, word: string): Promise<unknown> => {
  const entries = [];
  for await (const { row, outcome, project, changes, message } of entriesOf(batchId)) {
    const stored = project ? await findProject(project.id) : undefined;
    const { name, slug, url, description, categories: slugs = [], deleted_at, owner_id } = stored?.project ?? {};
    // Which number the slug of a new category ends with depends on the runs.
    const categories = await Promise.all(slugs.map(async (one) => (await findCategory(one))?.name));
    const state = stored && { name, slug, url, description, categories, isDeleted: deleted_at !== null, owner_id };
    entries.push({ row, outcome, changes, message, slug: project?.slug, state });
  }
  const counts = (await findBatch(batchId))?.counts;
  const text = JSON.stringify({ entries: entries.toSorted((a, b) => (a.row ?? 0) - (b.row ?? 0)), counts });
  return JSON.parse(text.replaceAll(word, 'WORD').replace(/prj_[0-9A-Z]{26}/g, 'PROJECT'));
};

const revertWhole = async (batchId: string): Promise<void> => {
  const report = await revertBatch(admin, batchId, 60_000);
  if (report.state === 'running') await finishRevert(report.batch_id);
};

/** Runs until the import has ended. */
const runToTheEnd = async (random: Random, importId: string): Promise<void> => {
  const limits = { budgetMs: random.chance(0.5) ? 0 : 60_000, rowsPerChunkMax: 5 };
  for (let round = 0; ; round += 1) {
    const state = (await findImport(importId))?.state;
    if (state !== 'checking' && state !== 'running') return;
    expect(round).toBeLessThan(100);
    const isMortal = random.chance(0.6);
    // The bus may deliver a message twice at the same time.
    const runs = random.chance(0.3) ? 2 : 1;
    const run = () => runAsHandler('imports.run', () => runImport(importId, admin.id, limits));
    const work = () => Promise.allSettled(Array.from({ length: runs }, run));
    const results = isMortal ? await inDyingProcess(random, 25, work) : await work();
    const unexpected = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    if (!isMortal) expect(unexpected).toEqual([]);
  }
};

const announce = async (file: Buffer): Promise<string> => {
  const { id } = await announceImport({ filename: 'some.csv', bytes: file.length });
  provide(file);
  return id;
};

const columns = { slug: 'slug', name: 'name', url: 'url', description: 'description', categories: 'categories' };

/** Runs the simulation once. @throws AssertionError when the import differs from the one in a request. */
export const simulateImport = async (seed: number): Promise<void> => {
  const random = new Random(seed);
  const rows = randomRows(random, 3 + random.below(40));
  const mapping = {
    columns,
    on_conflict: random.pick(['skip', 'update', 'error'] as const),
    create_categories: true,
  };
  const [expected, actual] = [unique('sima'), unique('simb')];
  const reference = await importProjects(
    admin,
    { file: fileOf(rows, expected), mapping: JSON.stringify(mapping) },
    { budgetMs: 60_000 },
  );
  const id = await announce(Buffer.from(fileOf(rows, actual)));
  await startImport(admin, id, mapping, false);
  await runToTheEnd(random, id);
  const ended = await readImport(admin, id);
  expect({ seed, ...ended }).toMatchObject({ state: 'done', rows_done: rows.length, counts: reference.counts ?? {} });
  const [referenceId, batchId] = [reference.batch_id ?? '', ended.batch_id ?? ''];
  expect(await resultOf(batchId, actual)).toEqual(await resultOf(referenceId, expected));
  expect(await findBatch(batchId)).toMatchObject({ state: 'done', counts: ended.counts });

  await revertWhole(referenceId);
  await revertWhole(batchId);
  const states = async (of: string, word: string) =>
    ((await resultOf(of, word)) as { entries: { slug: string; state: unknown }[] }).entries.map(({ state }) => state);
  expect(await states(batchId, actual)).toEqual(await states(referenceId, expected));
};

/** A dry run says of each row what the import then does, also of rows about projects of earlier chunks. */
export const simulateDryRun = async (seed: number): Promise<void> => {
  const random = new Random(seed);
  const word = unique('simd');
  const mapping = {
    columns,
    match_by: random.pick(['slug', 'url'] as const),
    on_conflict: random.pick(['skip', 'update', 'error'] as const),
    create_categories: true,
  };
  const id = await announce(Buffer.from(fileOf(randomRows(random, 60), word)));
  const run = async (isDryRun: boolean) => {
    await startImport(admin, id, mapping, isDryRun);
    await runImport(id, admin.id, { budgetMs: 60_000, rowsPerChunkMax: 5 });
    return await readImport(admin, id);
  };
  const { state, dry_run } = await run(true);
  const ended = await run(false);
  expect({ seed, state, counts: dry_run?.counts }).toEqual({ seed, state: 'uploaded', counts: ended.counts });
  const outcomes = new Map<number | null, string>();
  for await (const { row, outcome } of entriesOf(ended.batch_id ?? '')) outcomes.set(row, outcome);
  const planned = dry_run?.items.map(({ row, outcome }) => [row, outcome] as const);
  expect({ seed, outcomes: new Map(planned) }).toEqual({ seed, outcomes });
};

/** An import that is cancelled while runs die: what was imported is what its batch says, and can be reverted. */
export const simulateCancellation = async (seed: number): Promise<void> => {
  const random = new Random(seed);
  const word = unique('simc');
  const rows = randomRows(random, 30);
  const id = await announce(Buffer.from(fileOf(rows, word)));
  await startImport(admin, id, { columns, create_categories: true }, false);
  const limits = { budgetMs: 0, rowsPerChunkMax: 5 };
  await inDyingProcess(random, 25, () => runImport(id, admin.id, limits)).catch(() => undefined);
  const before = await readImport(admin, id);
  if (before.state === 'done') return;
  await cancelImport(admin, id);
  // The run has died, or ended.
  await updateItem({ pk: `IMPORT#${id}`, sk: 'IMPORT' }, { set: { seen_at: '2026-01-01T00:00:00.000Z' } });
  await runImport(id, admin.id);
  expect(await claimImport(id, newId('run'), now())).toBeUndefined();
  const { state, counts, rows_done, batch_id } = await readImport(admin, id);
  expect({ seed, state }).toEqual({ seed, state: 'cancelled' });
  if (batch_id === null) return;
  expect(rows_done).toBe(Object.values(counts).reduce((sum, count) => sum + count, 0));
  expect(await findBatch(batch_id)).toMatchObject({ state: 'cancelled', counts });
  expect({ seed, counts: await countEntries(batch_id) }).toEqual({ seed, counts });
  await revertWhole(batch_id);
  const { entries } = (await resultOf(batch_id, word)) as {
    entries: { outcome: string; state?: { isDeleted: boolean } }[];
  };
  expect(entries.filter((one) => one.outcome === 'created' && one.state?.isDeleted !== true)).toEqual([]);
};

/**
 * An import whose first run cannot write a row: it stops in time, and another run imports the row and counts the others once.
 * @returns how often the first run has tried to write: each time with other rows, then alone.
 */
export const simulateUnreachedRow = async (budgetMs: number): Promise<number> => {
  const word = unique('simu');
  const rows = ['', 'Text', 'Text', 'Text'].map((description, number) => ({
    slug: `-${number}`,
    name: `Place ${number}`,
    url: `https://%-${number}.example`,
    description,
    categories: '',
  }));
  const id = await announce(Buffer.from(fileOf(rows, word)));
  await startImport(admin, id, { columns }, false);
  let tries = 0;
  const recover = interceptTable(({ input, written }, send) => {
    if (written.length === 0 || !JSON.stringify(input).includes(`"${word}-2"`)) return send();
    tries += 1;
    return Promise.reject(new Error('The table could not be reached.'));
  });
  await runImport(id, admin.id, { budgetMs, rowsPerChunkMax: 5 });
  recover();
  expect(await findImport(id)).toMatchObject({ state: 'running', rows_done: 0, counts: { created: 0, failed: 0 } });
  await runImport(id, admin.id);
  expect(await readImport(admin, id)).toMatchObject({ state: 'done', rows_done: 4, counts: { created: 3, failed: 1 } });
  return tries;
};

/** An import whose stored mapping does not fit its file, as that of another version, fails and is not tried again. */
export const simulateMisfit = async (): Promise<void> => {
  const id = await announce(Buffer.from(csv(['name'], ['Place'])));
  await startImport(admin, id, { columns: { name: 'name' }, on_conflict: 'update' }, false);
  const mapping = JSON.stringify({ ...(await findImport(id))?.mapping, columns: { Name: 'name' } });
  await updateItem({ pk: `IMPORT#${id}`, sk: 'IMPORT' }, { set: { mapping } });
  await runImport(id, admin.id);
  const { state, error } = await readImport(admin, id);
  expect({ state, error }).toEqual({ state: 'failed', error: expect.stringContaining('Import the file again.') });
  expect(await claimImport(id, newId('run'), now())).toBeUndefined();
};

/** A dry run that does not end in its time fails, and counts nothing as done. */
export const simulateLateDryRun = async (): Promise<void> => {
  const rows = randomRows(new Random(1), 20);
  const id = await announce(Buffer.from(fileOf(rows, unique('siml'))));
  await startImport(admin, id, { columns }, true);
  await runImport(id, admin.id, { budgetMs: 0, rowsPerChunkMax: 5 });
  const counts = { created: 0, updated: 0, skipped: 0, failed: 0 };
  expect(await readImport(admin, id)).toMatchObject({ state: 'failed', rows_done: 0, counts, batch_id: null });
};
