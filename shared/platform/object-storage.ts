import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { requestHandler } from './aws-client.ts';
import { InvalidEnvironment, settings } from './settings.ts';
import { Unavailable } from './unavailable.ts';

/** Files that are too large for a request or an item: a private bucket (S3), whose files are deleted after a day. */

const TIMEOUT_MS = 5000;

/** How long an upload may begin, in seconds. */
export const UPLOAD_SECONDS = 15 * 60;

let lazyClient: S3Client | undefined;

const client = (): S3Client => {
  lazyClient ??= new S3Client({
    requestHandler: requestHandler(TIMEOUT_MS),
    // Other storages than S3 itself have no host name per bucket.
    forcePathStyle: process.env.AWS_ENDPOINT_URL_S3 !== undefined,
    // A checksum of the content cannot be signed before the content is known.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return lazyClient;
};

const bucket = (): string => {
  const { uploadBucket } = settings();
  if (uploadBucket === undefined) throw new InvalidEnvironment(['UPLOAD_BUCKET must be set to store files']);
  return uploadBucket;
};

/** A request by which the caller uploads a file without further credentials. */
export interface UploadRequest {
  readonly method: 'PUT';
  readonly url: string;
  /** All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Signs the upload of a file of exactly this size, which must not exist yet.
 * @param signedAt the time from which it is valid for `UPLOAD_SECONDS`; now by default.
 */
export const signUpload = async (key: string, bytes: number, signedAt?: Date): Promise<UploadRequest> => {
  const command = new PutObjectCommand({ Bucket: bucket(), Key: key, ContentLength: bytes, IfNoneMatch: '*' });
  const url = await getSignedUrl(client(), command, {
    expiresIn: UPLOAD_SECONDS,
    ...(signedAt && { signingDate: signedAt }),
  });
  return { method: 'PUT', url, headers: { 'content-length': String(bytes), 'if-none-match': '*' } };
};

/** By name: bundles leave the classes of errors out. */
const isMissing = (error: unknown): boolean => error instanceof Error && error.name === 'NoSuchKey';

/** A part of a file. */
export interface FilePart {
  readonly bytes: Uint8Array;
  /** Of the whole file. */
  readonly size: number;
}

/**
 * Reads a part of a file, which is shorter at its end.
 * @returns undefined when the file does not exist.
 * @throws {Unavailable} when the storage does not respond or refuses.
 */
export const readFilePart = async (key: string, from: number, length: number): Promise<FilePart | undefined> => {
  const Range = `bytes=${from}-${from + length - 1}`;
  try {
    const { Body, ContentRange = '' } = await client().send(
      new GetObjectCommand({ Bucket: bucket(), Key: key, Range }),
    );
    if (!Body) throw new Error('The object storage returned no content.');
    return { bytes: await Body.transformToByteArray(), size: Number(ContentRange.split('/')[1]) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new Unavailable('The object storage does not respond.', { cause: error });
  }
};

/** Deletes a file, if it exists. @throws {Unavailable} when the storage does not respond or refuses. */
export const deleteFile = async (key: string): Promise<void> => {
  try {
    await client().send(new DeleteObjectCommand({ Bucket: bucket(), Key: key }));
  } catch (error) {
    throw new Unavailable('The object storage does not respond.', { cause: error });
  }
};
