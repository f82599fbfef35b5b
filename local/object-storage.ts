import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { createWriteStream, mkdirSync } from 'node:fs';
import { link, open, readdir, rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { environment } from '#platform/environment.ts';
import { signUpload, UPLOAD_SECONDS } from '#platform/s3.ts';
import { type BackgroundTask, runPeriodically } from './background.ts';
import { escapeHtml } from './html.ts';
import type { HttpResponse } from './http-response.ts';
import type { LocalRequest, LocalRoute } from './local-route.ts';
import { codeOf } from './startup-error.ts';

/** Where the routes of the object storage are. */
export const STORAGE_PATH = '/_local/storage';

const OBJECT_PATH = `${STORAGE_PATH}/{bucket}/{key}` as const;

/** A folder with the operations of S3 that the service uses: uploads, reads of a range, and deletion. */
interface ObjectStorage {
  readonly routes: readonly LocalRoute[];
  /** Deletes what a process left unfinished, and from then on each file a day after its upload, as the bucket does. */
  startLifecycle(): Promise<BackgroundTask>;
}

const KEPT_MS = 86_400_000;
const LIFECYCLE_PAUSE_MS = 600_000;

const KEY = /^[A-Za-z0-9_]{1,100}$/;
/** The end of the names of files that are being uploaded. */
export const UNFINISHED = '.part';

const failure = (status: number, code: string, message: string): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escapeHtml(message)}</Message></Error>`,
});

const missing = (): HttpResponse => failure(404, 'NoSuchKey', 'The file does not exist.');

/** The time of a signature, `20261122T135812Z`. */
const timeOf = (stamp: string | null): Date =>
  new Date(String(stamp).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

const digestOf = (text: string | null): Buffer => createHash('sha256').update(String(text)).digest();

/** @returns why an upload is refused; undefined for a valid one. */
const refusalOf = async (key: string, { headers, query }: LocalRequest): Promise<HttpResponse | undefined> => {
  const bytes = headers['content-length'];
  if (bytes === undefined) return failure(411, 'MissingContentLength', 'You must provide the Content-Length header.');
  const signedAt = timeOf(query.get('X-Amz-Date'));
  if (Number.isNaN(signedAt.getTime())) return failure(403, 'AccessDenied', 'The upload is not signed.');
  // What the same request would be signed with.
  const { url } = await signUpload(key, Number(bytes), signedAt);
  const expected = new URL(url).searchParams.get('X-Amz-Signature');
  const isSigned = timingSafeEqual(digestOf(expected), digestOf(query.get('X-Amz-Signature')));
  if (!isSigned || headers['if-none-match'] !== '*') {
    return failure(403, 'SignatureDoesNotMatch', 'The request differs from the one that was signed.');
  }
  return Date.now() > signedAt.getTime() + UPLOAD_SECONDS * 1000
    ? failure(403, 'AccessDenied', 'Request has expired')
    : undefined;
};

let signing: S3Client | undefined;

/** @returns why a read or a deletion is refused, which the service signs in its headers; undefined for a valid one. */
const unsignedRefusalOf = async ({ headers, raw }: LocalRequest): Promise<HttpResponse | undefined> => {
  const signedAt = timeOf(headers['x-amz-date']?.toString() ?? null);
  const names = /SignedHeaders=([\w;-]+)/.exec(headers.authorization ?? '')?.[1]?.split(';');
  if (!names?.includes('host') || !(Math.abs(Date.now() - signedAt.getTime()) < UPLOAD_SECONDS * 1000)) {
    return failure(403, 'AccessDenied', 'The request is not signed.');
  }
  // What the same request would be signed with.
  signing ??= new S3Client({});
  const signer = await signing.config.signer();
  const { pathname, searchParams } = new URL(raw.url ?? '', 'http://localhost');
  const request = {
    method: raw.method ?? '',
    protocol: 'http:',
    hostname: 'localhost',
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: Object.fromEntries(names.map((name) => [name, String(headers[name])])),
  };
  const expected = await signer.sign(request, { signingDate: signedAt });
  return timingSafeEqual(digestOf(expected.headers.authorization ?? null), digestOf(headers.authorization ?? null))
    ? undefined
    : failure(403, 'SignatureDoesNotMatch', 'The request differs from the one that was signed.');
};

/** Writes the body to a file that does not exist, completely or not at all. @returns false when the file exists. */
const store = async (file: string, body: IncomingMessage): Promise<boolean> => {
  const unfinished = `${file}-${randomUUID()}${UNFINISHED}`;
  try {
    await pipeline(body, createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true }));
    await link(unfinished, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(unfinished, { force: true });
  }
};

const RANGE = /^bytes=(\d{1,15})-(\d{1,15})$/;
/** More than the service reads at once. */
const RANGE_BYTES_MAX = 8 * 1024 * 1024;

const readRange = async (file: string, range: string | undefined): Promise<HttpResponse> => {
  const [, first, last] = RANGE.exec(range ?? '') ?? [];
  if (first === undefined) return failure(400, 'InvalidRequest', 'Only ranges are read.');
  const from = Number(first);
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    if (from >= size) return failure(416, 'InvalidRange', 'The requested range is not satisfiable');
    const length = Math.min(Number(last) - from + 1, size - from, RANGE_BYTES_MAX);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from);
    return {
      status: 206,
      headers: {
        'content-type': 'application/octet-stream',
        'content-range': `bytes ${from}-${from + bytesRead - 1}/${size}`,
      },
      body: buffer.subarray(0, bytesRead),
    };
  } finally {
    await handle.close();
  }
};

/** Runs an operation on an existing file. */
const orMissing = async (work: () => Promise<HttpResponse>): Promise<HttpResponse> => {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return missing();
    throw error;
  }
};

const deleteExpired = async (file: string): Promise<void> => {
  const { mtimeMs } = await stat(file);
  if (mtimeMs < Date.now() - KEPT_MS) await rm(file, { force: true });
};

/**
 * Opens the storage in a folder. Every operation needs a signature with the credentials of this process: that of an upload is
 * in the address that the service gave out.
 */
export const openObjectStorage = (folder: string): ObjectStorage => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fileOf = ({ params }: LocalRequest): string | undefined => {
    const { bucket, key = '' } = params;
    return bucket === environment().uploadBucket && KEY.test(key) ? path.join(folder, key) : undefined;
  };

  const upload = async (request: LocalRequest): Promise<HttpResponse> => {
    const file = fileOf(request);
    const refusal = file === undefined ? missing() : await refusalOf(request.params.key ?? '', request);
    if (file === undefined || refusal) {
      // The client may send all of it before it reads the response.
      request.raw.resume();
      return refusal ?? missing();
    }
    if (await store(file, request.raw)) return { status: 200, headers: {}, body: '' };
    return failure(412, 'PreconditionFailed', 'The file exists already.');
  };

  const eachFile = async (work: (file: string, name: string) => Promise<void>): Promise<void> => {
    for (const name of await readdir(folder)) await work(path.join(folder, name), name);
  };

  return {
    routes: [
      { method: 'PUT', path: OBJECT_PATH, streams: true, respond: upload },
      {
        method: 'GET',
        path: OBJECT_PATH,
        streams: true,
        respond: async (request) => {
          const file = fileOf(request);
          const refusal = await unsignedRefusalOf(request);
          if (refusal || file === undefined) return refusal ?? missing();
          return await orMissing(() => readRange(file, request.headers.range));
        },
      },
      {
        method: 'DELETE',
        path: OBJECT_PATH,
        streams: true,
        respond: async (request) => {
          const file = fileOf(request);
          const refusal = await unsignedRefusalOf(request);
          if (refusal || file === undefined) return refusal ?? missing();
          await rm(file, { force: true });
          return { status: 204, headers: {}, body: '' };
        },
      },
    ],
    startLifecycle: async () => {
      await eachFile((file, name) => (name.endsWith(UNFINISHED) ? rm(file, { force: true }) : deleteExpired(file)));
      return runPeriodically(LIFECYCLE_PAUSE_MS, 'uploaded files could not be deleted', () => eachFile(deleteExpired));
    },
  };
};
