import { expect } from 'vitest';
import type { Import, ImportUpload } from '#contract/imports.ts';
import { type Directory, dataOf } from './fixtures.ts';

/** Large imports over the public API. */

export const IMPORTS = '/api/admin/imports';

interface UploadResponse {
  readonly status: number;
  readonly body: string;
}

/** Sends a file to the address that an import names, with other headers on demand. */
export const sendUpload = async (
  { method, url }: ImportUpload['upload'],
  headers: Readonly<Record<string, string>>,
  file: Uint8Array,
): Promise<UploadResponse> => {
  const response = await fetch(url, { method, headers, body: new Uint8Array(file) });
  return { status: response.status, body: await response.text() };
};

export const announce = async (directory: Directory, bytes: number, filename = 'some.csv'): Promise<ImportUpload> =>
  dataOf(await directory.adminOk('POST', IMPORTS, { filename, bytes }, 201));

/** Announces an import and uploads its file. @returns its id. */
export const uploadFile = async (directory: Directory, file: Uint8Array): Promise<string> => {
  const { id, upload } = await announce(directory, file.length);
  expect(await sendUpload(upload, upload.headers, file)).toMatchObject({ status: 200 });
  return id;
};

/** Cancels the imports that were not started, of which a directory has at most twenty. */
export const cancelWaiting = async (directory: Directory): Promise<void> => {
  const imports = dataOf<Import[]>(await directory.adminOk('GET', `${IMPORTS}?limit=100`));
  for (const { id, state } of imports)
    if (state === 'waiting' || state === 'uploaded') await directory.adminOk('POST', `${IMPORTS}/${id}/cancel`);
};

export const readImport = async (directory: Directory, id: string): Promise<Import> =>
  dataOf(await directory.get(`${IMPORTS}/${id}`, directory.admin));

export const startImport = async (directory: Directory, id: string, mapping: unknown, query = ''): Promise<Import> =>
  dataOf(await directory.adminOk('POST', `${IMPORTS}/${id}/start${query}`, { mapping }, 202));

/** Waits until an import is in a state. */
export const importIn = async (directory: Directory, id: string, state: Import['state']): Promise<Import> => {
  await directory.server.until(async () => expect(await readImport(directory, id)).toMatchObject({ state }));
  return await readImport(directory, id);
};
