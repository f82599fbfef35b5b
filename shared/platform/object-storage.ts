import { HttpRequest } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { requestHandler } from './aws-client.ts';
import { AwsError, collect, locate, MAX_ATTEMPTS, retrying, type SendOptions } from './aws-json.ts';
import { limitWithinRequest } from './request-time.ts';
import { InvalidEnvironment, settings } from './settings.ts';
import { withTimeLimit } from './time-limit.ts';
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
  const { uploadBucket } = settings();
  if (uploadBucket === undefined) throw new InvalidEnvironment(['UPLOAD_BUCKET must be set to store files']);
  return uploadBucket;
};

interface StorageResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Sends requests to the bucket. Like `JsonClient`, it consists of the SDK's parts for signatures and connections. */
export class BucketClient {
  readonly #location = locate('s3', 'AWS_ENDPOINT_URL_S3');
  readonly #handler = new NodeHttpHandler(requestHandler(TIMEOUT_MS));
  readonly #retry = retrying(MAX_ATTEMPTS);

  /** Signs a request that another program sends. @returns its URL. */
  async sign(request: HttpRequest, signedAt = new Date()): Promise<string> {
    // The content is not known yet.
    request.headers['X-Amz-Content-Sha256'] = 'UNSIGNED-PAYLOAD';
    const options = { expiresIn: UPLOAD_SECONDS, signingDate: signedAt };
    const { protocol, path, query = {} } = await this.#location.signer.presign(request, options);
    const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
    return `${protocol}//${request.headers.host}${path}?${parameters.join('&')}`;
  }

  /**
   * Sends a request, again after faults of the storage and lost connections, and ends in time to respond with 503.
   * @param operation as S3 names it.
   * @throws {Unavailable} when the storage does not respond or refuses.
   */
  async request(operation: string, request: HttpRequest): Promise<StorageResponse> {
    try {
      return await withTimeLimit(limitWithinRequest(ATTEMPTS_MS, RESERVE_MS), (abortSignal) =>
        this.#retry(() => this.#attempt(operation, request, { abortSignal })),
      );
    } catch (cause) {
      throw new Unavailable('The object storage does not respond.', { cause });
    }
  }

  async #attempt(operation: string, request: HttpRequest, options: SendOptions): Promise<StorageResponse> {
    const signed = (await this.#location.signer.sign(request)) as HttpRequest;
    const { response } = await this.#handler.handle(signed, options);
    const body = await collect(response.body);
    const { statusCode: status, headers } = response;
    const code = status < 300 ? undefined : codeOf(body);
    if (status < 300 || code === 'NoSuchKey') return { status, headers, body };
    const message = `${operation} was answered with ${status}: ${Buffer.from(body).toString().slice(0, 200)}`;
    throw new AwsError(code ?? 'StorageError', message, { httpStatusCode: status });
  }

  /** A request about a file of the bucket. */
  requestFor(method: string, key: string, headers: Readonly<Record<string, string>> = {}): HttpRequest {
    const { url, isConfigured } = this.#location;
    // Only S3 itself has a host name per bucket.
    const host = isConfigured ? url.host : `${bucket()}.${url.host}`;
    const folder = isConfigured ? `${url.pathname.replace(/\/$/, '')}/${bucket()}` : '';
    const [hostname = '', port] = host.split(':');
    return new HttpRequest({
      method,
      protocol: url.protocol,
      hostname,
      ...(port && { port: Number(port) }),
      path: `${folder}/${key}`,
      headers: { host, ...headers },
    });
  }
}

/** The name of an error; its class decides how long the pause before the next attempt is. */
const codeOf = (body: Uint8Array): string | undefined =>
  /<Code>(\w+)<\/Code>/.exec(Buffer.from(body).toString('utf8', 0, 1000))?.[1];

let lazyClient: BucketClient | undefined;

const client = (): BucketClient => {
  lazyClient ??= new BucketClient();
  return lazyClient;
};

/** The origin of uploads, of which a browser has to know; undefined for functions that do not use the storage. */
export const uploadOrigin = (): string | undefined => {
  if (settings().uploadBucket === undefined) return undefined;
  const { protocol, headers } = client().requestFor('PUT', '');
  return `${protocol}//${headers.host}`;
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
  const headers = { 'content-length': String(bytes), 'if-none-match': '*' };
  return { method: 'PUT', url: await client().sign(client().requestFor('PUT', key, headers), signedAt), headers };
};

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
  const request = client().requestFor('GET', key, { range: `bytes=${from}-${from + length - 1}` });
  const { status, headers, body } = await client().request('GetObject', request);
  return status < 300 ? { bytes: body, size: Number(headers['content-range']?.split('/')[1]) } : undefined;
};

/** Deletes a file, if it exists. @throws {Unavailable} when the storage does not respond or refuses. */
export const deleteFile = async (key: string): Promise<void> => {
  await client().request('DeleteObject', client().requestFor('DELETE', key));
};
