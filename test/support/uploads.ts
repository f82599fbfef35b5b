import { expect } from 'vitest';
import type { ImportReport } from '#contract/batches.ts';
import type { CallResponse, Client } from './client.ts';
import { encodeForm } from './requests.ts';

/** CSV files for uploads and exports, independent of the service's own reader and writer. */

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
    if (!found) throw new Error(`Not a CSV cell at ${at}: ${text.slice(at, at + 40)}`);
    record.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
};

/** Sends a multipart form. */
export const sendForm = async (server: Client, path: string, token: string, form: FormData): Promise<CallResponse> => {
  return await server.call('POST', path, { token, ...(await encodeForm(form)) });
};

export const IMPORT_PATH = '/api/admin/projects/import';

/** Sends a file and its mapping to the import route, with a query and further parts. */
export const sendImport = (
  server: Client,
  token: string,
  file: string | Uint8Array<ArrayBuffer>,
  mapping: unknown,
  { query = '', parts = {} }: { query?: string; parts?: Readonly<Record<string, string>> } = {},
): Promise<CallResponse> => {
  const form = new FormData();
  form.set('file', new Blob([file], { type: 'text/csv' }), 'some.csv');
  form.set('mapping', typeof mapping === 'string' ? mapping : JSON.stringify(mapping));
  for (const [name, value] of Object.entries(parts)) form.set(name, value);
  return sendForm(server, `${IMPORT_PATH}${query}`, token, form);
};

/** Imports a file and fails the test unless the status is 200. @returns the report. */
export const importFile = async (
  server: Client,
  token: string,
  file: string,
  mapping: unknown,
): Promise<ImportReport> => {
  const response = await sendImport(server, token, file, mapping);
  expect(response).toMatchObject({ status: 200 });
  return (response.body as { data: ImportReport }).data;
};
