import { client, dataOf } from '../../api.ts';
import { refresh } from '../../app/queries.ts';
import { Store } from '../../app/store.ts';
import { notify, notifyError } from '../../app/toasts.tsx';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

/** Files on their way, with the share that has arrived. They go on while another page is open. */
export const uploads = new Store<ReadonlyMap<string, number>>(new Map());

const setShare = (id: string, share: number | undefined): void => {
  const next = new Map(uploads.value);
  if (share === undefined) next.delete(id);
  else next.set(id, share);
  uploads.set(next);
};

/** `fetch` does not report progress. */
const send = async (
  { url, method, headers }: { readonly url: string; readonly method: string; readonly headers: Record<string, string> },
  file: File,
  onProgress: (share: number) => void,
): Promise<void> => {
  const sent = Promise.withResolvers<void>();
  const request = new XMLHttpRequest();
  request.open(method, url);
  for (const [name, value] of Object.entries(headers)) {
    // The browser sets the length itself.
    if (name.toLowerCase() !== 'content-length') request.setRequestHeader(name, value);
  }
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / Math.max(1, total)));
  request.addEventListener('load', () => {
    if (request.status < 300) sent.resolve();
    else sent.reject(new Error(strings.errors.unexpected(request.status)));
  });
  request.addEventListener('error', () => sent.reject(new Error(strings.errors.unreachable)));
  request.send(file);
  await sent.promise;
};

const askBeforeLeaving = (event: BeforeUnloadEvent): void => event.preventDefault();

const SAMPLE_BYTES = 4096;

/** Whether the beginning of a file is no text: zeros at even and at odd positions, where UTF-16 has them at one of both. */
const isBinary = (bytes: Uint8Array): boolean =>
  [0, 1].every((parity) => bytes.some((byte, at) => byte === 0 && at % 2 === parity));

/** @throws {Error} for a file that cannot be a table. */
const mustBeText = async (file: File): Promise<void> => {
  if (file.size === 0) throw new Error(text.emptyFile(file.name));
  if (isBinary(new Uint8Array(await file.slice(0, SAMPLE_BYTES).arrayBuffer())))
    throw new Error(text.noText(file.name));
};

/** Announces a file and sends it. @returns the id of the import before the file has arrived. */
export const upload = async (file: File): Promise<string> => {
  await mustBeText(file);
  const { id, upload: target } = await dataOf(
    client.imports.create({ body: { filename: file.name, bytes: file.size } }),
  );
  setShare(id, 0);
  window.addEventListener('beforeunload', askBeforeLeaving);
  const finish = async () => {
    try {
      await send(target, file, (share) => setShare(id, share));
      notify(text.uploaded(file.name));
    } catch (error) {
      notifyError(error);
    } finally {
      setShare(id, undefined);
      if (uploads.value.size === 0) window.removeEventListener('beforeunload', askBeforeLeaving);
      await refresh('imports');
    }
  };
  void finish();
  await refresh('imports');
  return id;
};
