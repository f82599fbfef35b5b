import { beforeAll, expect, it } from 'vitest';
import type { BatchItem, DryRun, ImportReport } from '#contract/batches.ts';
import type { ImportPreview } from '#contract/imports.ts';
import { bytesInResponse, RESPONSE_BYTES_MAX } from '#model/response-size.ts';
import type { CallResponse } from '#test/support/client.ts';
import { dataOf, invalidAt } from '#test/support/fixtures.ts';
import { IMPORTS, importIn, startImport, uploadFile } from '#test/support/imports.ts';
import { csv, importFile, sendImport } from '#test/support/uploads.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** Changes of a hundred listings with long texts: each of them has 30 KB before and after. */

const { server, directory } = await ownDirectory();

const ROWS = 100;
const names = ['name', 'slug', 'url', 'long_description'];
const columns = Object.fromEntries(names.map((name) => [name, name]));
const fileOf = (character: string, rows = ROWS): string =>
  csv(
    names,
    ...Array.from({ length: rows }, (_, number) => [
      ...[`Row ${number}`, `row-${number}`, `https://row-${number}.example`, character.repeat(10_000)],
    ]),
  );
const mapping = { columns, on_conflict: 'update', defaults: { status: 'live', description: 'A row.' } };
const updating = { columns, on_conflict: 'update' };
const slugs = Array.from({ length: ROWS }, (_, at) => `row-${at}`);

const bytesOf = ({ body }: CallResponse): number => bytesInResponse(JSON.stringify(body));

const expectShort = (items: readonly BatchItem[], before: string, after: string): void => {
  expect(items.length).toBeGreaterThan(0);
  for (const { changes } of items) {
    expect(changes).toContainEqual({
      field: 'long_description',
      before: before.repeat(2000),
      after: after.repeat(2000),
      truncated: true,
    });
  }
};

beforeAll(async () => {
  expect(await importFile(server, directory.admin.token, fileOf('漢'), mapping)).toMatchObject({ created: ROWS });
});

it('a dry run in one request lists all rows with short values', async () => {
  const response = await sendImport(server, directory.admin.token, fileOf('字'), updating, { query: '?dry_run=true' });
  const { counts, items = [] } = dataOf<ImportReport>(response);
  expect([counts?.updated, items.length]).toEqual([ROWS, ROWS]);
  expectShort(items, '漢', '字');
  expect(bytesOf(response)).toBeLessThan(RESPONSE_BYTES_MAX);
});

it('a dry run of a large import lists all rows with short values, and can be read, repeated and cancelled', async () => {
  const id = await uploadFile(directory, Buffer.from(fileOf('字')));
  await startImport(directory, id, updating, '?dry_run=true');
  const { dry_run } = await importIn(directory, id, 'uploaded');
  expect([dry_run?.counts.updated, dry_run?.items.length]).toEqual([ROWS, ROWS]);
  expectShort(dry_run?.items ?? [], '漢', '字');
  const started = await startImport(directory, id, updating, '?dry_run=true');
  expectShort(started.dry_run?.items ?? [], '漢', '字');
  await importIn(directory, id, 'uploaded');
  const cancelled = await directory.adminOk('POST', `${IMPORTS}/${id}/cancel`);
  expect(bytesOf(cancelled)).toBeLessThan(RESPONSE_BYTES_MAX);
});

it('the items of a batch have short values, of which a revert restores all', async () => {
  const { batch_id } = await importFile(server, directory.admin.token, fileOf('語', 3), updating);
  const path = `/api/admin/batches/${batch_id}`;
  expectShort(dataOf<BatchItem[]>(await directory.adminOk('GET', `${path}/items`)), '漢', '語');
  await directory.adminOk('POST', `${path}/revert`);
  const { long_description } = dataOf<{ long_description: string }>(
    await directory.adminOk('GET', '/api/projects/row-0'),
  );
  expect(long_description).toBe('漢'.repeat(10_000));
});

it('pages of items that are large together are shorter, and name the next page', async () => {
  const header = ['name', 'slug', 'url', 'logo_url', 'video_url', 'screenshots'];
  const file = (host: string): string => {
    const address = `https://${host}.example/${'漢'.repeat(2000)}`;
    return csv(header, ...slugs.map((slug) => [`${host} ${slug}`, slug, address, address, address, address]));
  };
  const given = { columns: Object.fromEntries(header.map((name) => [name, name])), on_conflict: 'update' };
  expect(await importFile(server, directory.admin.token, file('one'), given)).toMatchObject({ updated: ROWS });
  const dryRun = await sendImport(server, directory.admin.token, file('two'), given, { query: '?dry_run=true' });
  const { counts, items = [] } = dataOf<ImportReport>(dryRun);
  expect(counts?.updated).toBe(ROWS);
  expect(items.map(({ row }) => row)).toEqual(items.map((_, at) => at + 2));
  expect(bytesOf(dryRun)).toBeLessThan(RESPONSE_BYTES_MAX);
  const { batch_id } = await importFile(server, directory.admin.token, file('two'), given);
  const pages: (number | null)[][] = [];
  let after = '';
  do {
    const page = await directory.adminOk('GET', `/api/admin/batches/${batch_id}/items?limit=100${after}`);
    expect(bytesOf(page)).toBeLessThan(RESPONSE_BYTES_MAX);
    pages.push(dataOf<BatchItem[]>(page).map(({ row }) => row));
    const { nextAfter } = (page.body as { meta: { nextAfter: string | null } }).meta;
    after = nextAfter === null ? '' : `&after=${nextAfter}`;
  } while (after !== '');
  expect(pages.length).toBe(2);
  expect(pages.flat()).toEqual(slugs.map((_, at) => at + 2));
});

it('a dry run of a bulk change has short values too', async () => {
  await directory.adminOk('POST', '/api/admin/fields', { key: 'story', type: 'long_text', label: 'Story' }, 201);
  const change = (story: string) => ({ ids: slugs, action: 'set_fields', fields: { story } });
  await directory.adminOk('POST', '/api/admin/projects/bulk', change('漢'.repeat(4000)));
  const { items } = dataOf<DryRun>(
    await directory.adminOk('POST', '/api/admin/projects/bulk?dry_run=true', change('字'.repeat(4000))),
  );
  const changes = [{ field: 'fields.story', before: '漢'.repeat(2000), after: '字'.repeat(2000), truncated: true }];
  expect(items.map((item) => item.changes)).toEqual(slugs.map(() => changes));
});

it('a preview has as many rows as one response holds, and a header without long names', async () => {
  const previewOf = async (file: string) => {
    const id = await uploadFile(directory, Buffer.from(file));
    const response = await directory.asAdmin('GET', `${IMPORTS}/${id}/preview?rows=100`);
    await directory.adminOk('POST', `${IMPORTS}/${id}/cancel`);
    return response;
  };
  // A null takes seven bytes in the response.
  const large = await previewOf(csv(['name', 'notes'], ...slugs.map((slug) => [slug, '\0'.repeat(10_000)])));
  const { rows } = dataOf<ImportPreview>(large);
  expect(rows).toEqual(slugs.slice(0, rows.length).map((slug) => [slug, '\0'.repeat(10_000)]));
  expect(bytesOf(large)).toBeLessThan(RESPONSE_BYTES_MAX);
  expect(await previewOf(csv(['name', 'n'.repeat(500)], ['A', 'B']))).toMatchObject({ status: 200 });
  const long = await previewOf(csv(['name', 'n'.repeat(501)], ['A', 'B']));
  expect(long).toMatchObject(invalidAt('file'));
  expect(JSON.stringify(long.body)).toContain('a name of more than 500 characters in its header, of column 2');
});
