import { promisify } from 'node:util';
import { brotliCompress, constants, gunzip, gzip } from 'node:zlib';
import { invalidInput, payloadTooLarge, unsupportedEncoding } from '#shared/errors.ts';

/** The supported content encodings, the preferred one first. */
export const ENCODINGS = ['br', 'gzip'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/** Bodies up to this size are not compressed, in bytes. */
export const COMPRESS_ABOVE = 1024;

// The fastest levels, because compression takes longer than the rest of most requests: a third to a half of the time of
// levels 4 and 5 for a page of a list, whose result is a tenth larger.
const GZIP = { level: 1 };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

export const isCompressible = (contentType: string | undefined): boolean =>
  /^(?:text\/|image\/svg\+xml|application\/(?:[\w.+-]+\+)?(?:json|xml|javascript))/i.test(contentType ?? '');

const gzipBuffer = promisify(gzip) as (body: Buffer, options: typeof GZIP) => Promise<Buffer>;
const brotliBuffer = promisify(brotliCompress) as (body: Buffer, options: typeof BROTLI) => Promise<Buffer>;

export const compress = async (body: Buffer, encoding: Encoding): Promise<Buffer> =>
  encoding === 'br' ? await brotliBuffer(body, BROTLI) : await gzipBuffer(body, GZIP);

const inflate = promisify(gunzip) as (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

/**
 * The body of a request without its content encoding. API Gateway inflates bodies too, before the handlers; it answers 415 to
 * a broken one.
 * @param encoding the header `Content-Encoding`.
 * @param bytesMax of the inflated body.
 * @throws 400 for a broken body, 413, 415 for other encodings than gzip.
 */
export const inflated = async (body: Buffer, encoding: string | undefined, bytesMax: number): Promise<Buffer> => {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (body.length === 0 || name === '' || name === 'identity') return body;
  if (name !== 'gzip') throw unsupportedEncoding();
  try {
    return await inflate(body, { maxOutputLength: bytesMax });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw payloadTooLarge(bytesMax);
    throw invalidInput('The body is not valid gzip.');
  }
};
