import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

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
