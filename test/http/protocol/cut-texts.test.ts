import { expect, it } from 'vitest';
import type { AuditEntry } from '#contract/audit.ts';
import type { Batch, ImportReport } from '#contract/batches.ts';
import { dataOf, person, submission, unique } from '#test/support/fixtures.ts';
import { csv, IMPORT_PATH, readCsv, sendForm } from '#test/support/uploads.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

/** Texts that the service cuts, with a character of two UTF-16 units at every place of the cut. */

const { server, directory } = await sharedDirectory();
const owner = await person(server);

/** Texts of which one has the second half of a character just after `place`. */
const around = (place: number, text = 'x'): string[] =>
  Array.from({ length: 6 }, (_, less) => `${text.repeat(place + 2 - less)}😀${'y'.repeat(60)}`);

const newestInput = async (filter: string): Promise<unknown> =>
  dataOf<AuditEntry[]>(await directory.adminOk('GET', `/api/admin/audit?limit=1&${filter}`))[0]?.input;

it('a long edit is accepted, and its entry in the audit log has its beginning', async () => {
  const { id } = await directory.submit(owner);
  for (const text of around(3979)) {
    await directory.ok(owner, 'PUT', `/api/projects/${id}`, { long_description: text });
    const shortened = [...JSON.stringify({ long_description: text })].slice(0, 4000).join('');
    expect(await newestInput(`subject=project:${id}`)).toEqual({ shortened });
  }
});

interface Upload {
  readonly filename?: string;
  readonly mapping?: object;
  readonly file: string;
}

const mapped = { columns: { name: 'name', url: 'url', description: 'description', categories: 'categories' } };

const importOf = async ({ filename = 'some.csv', mapping = mapped, file }: Upload): Promise<ImportReport> => {
  const form = new FormData();
  form.set('file', new Blob([file], { type: 'text/csv' }), filename);
  form.set('mapping', JSON.stringify(mapping));
  const response = await sendForm(server, IMPORT_PATH, directory.admin.token, form);
  expect(response).toMatchObject({ status: 200 });
  return dataOf<ImportReport>(response);
};

const header = ['name', 'url', 'description', 'categories'];
const validRow = () => {
  const { name, url, description } = submission();
  return [name, url, description, directory.category];
};

it('an import keeps what rejected rows have, and cuts only what is too long', async () => {
  const cells = around(60_000);
  const lists = around(240, 'c');
  const rows = [
    ...cells.map((cell) => [cell, 'no address', 'Text.', '']),
    ...lists.map((list) => ['Name', `https://${unique('cut')}.example`, 'Text.', list]),
  ];
  const report = await importOf({ file: csv(header, ...rows) });
  expect(report).toMatchObject({ created: 0, failed: rows.length });
  const batch = `/api/admin/batches/${report.batch_id}`;
  const errors = readCsv(String((await directory.adminOk('GET', `${batch}/errors.csv`)).body)).slice(1);
  expect(errors.map(([name]) => name)).toEqual(rows.map(([name = '']) => [...name].slice(0, 60_000).join('')));
  expect(errors.every((record) => record.every((cell) => cell.isWellFormed() && !cell.includes('\ufffd')))).toBe(true);
});

it('the summary of an import has the beginning of the name of its file', async () => {
  for (const filename of around(200)) {
    const { batch_id } = await importOf({ filename, file: csv(header, validRow()) });
    const { summary } = dataOf<Batch>(await directory.adminOk('GET', `/api/admin/batches/${batch_id}`));
    expect(summary).toBe(`Import of 1 row from "${[...filename].slice(0, 200).join('')}"`);
  }
});
