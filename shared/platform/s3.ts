import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { clientSettings, lazily } from './aws.ts';
import { environment, InvalidEnvironment } from './environment.ts';
import { limitWithinRequest, withTimeLimit } from './time-limit.ts';
import { Unavailable } from './unavailable.ts';

/** Files that are too large for a request or an item: a private bucket (S3), whose files are deleted after a day. */

/** Of one attempt, in milliseconds. */
const TIMEOUT_MS = 5000;
/** Of all attempts with the pauses between them, in milliseconds. */
const ATTEMPTS_MS = 16_000;
/** The time that remains to respond, in milliseconds. */
const RESERVE_MS = 1000;

/** How long an upload may begin, in seconds. */
export const UPLOAD_SECONDS = 15 * 60;

const bucket = (): string => {
  const { uploadBucket } = environment();
  if (uploadBucket === undefined) throw new InvalidEnvironment(['UPLOAD_BUCKET must be set to store files']);
  return uploadBucket;
};

/** The address of a storage other than S3 itself, which has no host name per bucket. */
const configuredAddress = (): string | undefined =>
  process.env.AWS_ENDPOINT_URL_S3 || process.env.AWS_ENDPOINT_URL || undefined;

/** Where callers reach the storage, if not at the address that this process uses. */
const uploadAddress = (): string | undefined => process.env.UPLOAD_ENDPOINT || undefined;

/** The origin of uploads, for the console's content security policy; undefined for functions that do not use the storage. */
export const uploadOrigin = (): string | undefined => {
  const { uploadBucket } = environment();
  if (uploadBucket === undefined) return undefined;
  const configured = uploadAddress() ?? configuredAddress();
  if (configured !== undefined) return new URL(configured).origin;
  const region = process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  return `https://${uploadBucket}.s3.${region}.amazonaws.com${region?.startsWith('cn-') ? '.cn' : ''}`;
};

const clientOf = (endpoint: string | undefined): S3Client =>
  new S3Client({
    ...clientSettings(TIMEOUT_MS),
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle: (endpoint ?? configuredAddress()) !== undefined,
    // An upload would otherwise have to carry the checksum of a body that is not known when it is signed.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });

const client = lazily(() => clientOf(undefined));
const signer = lazily(() => clientOf(uploadAddress()));

/** Limits all attempts of an operation together. @throws {Unavailable} when the storage does not respond or refuses. */
const limited = async <T>(work: (abortSignal: AbortSignal) => Promise<T>): Promise<T> => {
  try {
    return await withTimeLimit(limitWithinRequest(ATTEMPTS_MS, RESERVE_MS), work);
  } catch (cause) {
    throw new Unavailable('The object storage does not respond.', { cause });
  }
};

/** A request by which the caller uploads a file without further credentials. */
interface UploadRequest {
  readonly method: 'PUT';
  readonly url: string;
  /** All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Signs the upload of a file of exactly this size, which must not exist yet.
 * @param signingDate the time from which it is valid for `UPLOAD_SECONDS`; now by default.
 */
export const signUpload = async (key: string, bytes: number, signingDate = new Date()): Promise<UploadRequest> => {
  const command = new PutObjectCommand({ Bucket: bucket(), Key: key, ContentLength: bytes, IfNoneMatch: '*' });
  const url = await getSignedUrl(signer(), command, {
    expiresIn: UPLOAD_SECONDS,
    signingDate,
    unhoistableHeaders: new Set(['content-length', 'if-none-match']),
  });
  return { method: 'PUT', url, headers: { 'content-length': String(bytes), 'if-none-match': '*' } };
};

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
export const readFilePart = (key: string, from: number, length: number): Promise<FilePart | undefined> =>
  limited(async (abortSignal) => {
    const command = new GetObjectCommand({ Bucket: bucket(), Key: key, Range: `bytes=${from}-${from + length - 1}` });
    try {
      const { Body, ContentRange } = await client().send(command, { abortSignal });
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
      return { bytes, size: Number(ContentRange?.split('/')[1]) };
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  });

/** Deletes a file, if it exists. @throws {Unavailable} when the storage does not respond or refuses. */
export const deleteFile = async (key: string): Promise<void> => {
  await limited((abortSignal) =>
    client().send(new DeleteObjectCommand({ Bucket: bucket(), Key: key }), { abortSignal }),
  );
};
