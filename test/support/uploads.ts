import { expect } from 'vitest';
import type { ImportReport } from '#contract/projects.ts';
import type { CallAnswer, Client } from './client.ts';

/** Files as tests send them and read them; written and read by other code than the service's own. */

const quoted = (cell: unknown): string => `"${String(cell ?? '').replaceAll('"', '""')}"`;

/** A CSV file: a header and records, every cell quoted. */
export const csv = (header: readonly string[], ...records: readonly (readonly unknown[])[]): string =>
  [header, ...records].map((record) => record.map(quoted).join(',')).join('\r\n');

/** The records of a CSV text. */
export const readCsv = (text: string): string[][] => {
  const records: string[][] = [];
  let record: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/gy;
  for (let at = 0; at < text.length; at = cell.lastIndex) {
    const found = cell.exec(text);
    if (!found) throw new Error(`There is no cell at ${at}: ${text.slice(at, at + 40)}`);
    record.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
};

/** Sends a multipart form. */
export const sendForm = async (world: Client, path: string, token: string, form: FormData): Promise<CallAnswer> => {
  const encoded = new Response(form);
  return await world.call('POST', path, {
    token,
    rawBody: new Uint8Array(await encoded.arrayBuffer()),
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
  });
};

export const IMPORT_PATH = '/api/admin/projects/import';

/** Sends a file and its mapping to the import. */
export const sendImport = (
  world: Client,
  token: string,
  file: string | Uint8Array<ArrayBuffer>,
  mapping: unknown,
): Promise<CallAnswer> => {
  const form = new FormData();
  form.set('file', new Blob([file], { type: 'text/csv' }), 'some.csv');
  form.set('mapping', typeof mapping === 'string' ? mapping : JSON.stringify(mapping));
  return sendForm(world, IMPORT_PATH, token, form);
};

/** Imports a file that the service has to take. */
export const imported = async (world: Client, token: string, file: string, mapping: unknown): Promise<ImportReport> => {
  const answer = await sendImport(world, token, file, mapping);
  expect(answer).toMatchObject({ status: 200 });
  return (answer.body as { data: ImportReport }).data;
};
