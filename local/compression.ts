import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';

/** A supported content encoding. */
export type Encoding = 'br' | 'gzip';

/** Bodies up to this size are not compressed, in bytes. */
export const COMPRESS_ABOVE = 1024;

// The fastest levels, because compression takes longer than the rest of most requests: a third to a half of the time of
// levels 4 and 5 for a page of a list, whose result is a tenth larger.
const GZIP = { level: 1 };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

export const isCompressible = (contentType: string | undefined): boolean =>
  /^(?:text\/|image\/svg\+xml|application\/(?:[\w.+-]+\+)?(?:json|xml|javascript))/i.test(contentType ?? '');

/** The supported encoding with the highest weight in `Accept-Encoding`; Brotli wins a tie. */
export const chooseEncoding = (acceptEncoding: string | undefined): Encoding | undefined => {
  const weights = new Map<string, number>();
  for (const part of (acceptEncoding ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const weight = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
    if (name !== '') weights.set(name, Number.isNaN(weight) ? 0 : weight);
  }
  const weightOf = (encoding: Encoding): number => weights.get(encoding) ?? weights.get('*') ?? 0;
  const [br, gz] = [weightOf('br'), weightOf('gzip')];
  if (br <= 0 && gz <= 0) return undefined;
  return br >= gz ? 'br' : 'gzip';
};

const gzipBuffer = promisify(gzip) as (body: Buffer, options: typeof GZIP) => Promise<Buffer>;
const brotliBuffer = promisify(brotliCompress) as (body: Buffer, options: typeof BROTLI) => Promise<Buffer>;

export const compress = async (body: Buffer, encoding: Encoding): Promise<Buffer> =>
  encoding === 'br' ? await brotliBuffer(body, BROTLI) : await gzipBuffer(body, GZIP);

export const createCompressor = (encoding: Encoding): Transform =>
  encoding === 'br' ? createBrotliCompress(BROTLI) : createGzip(GZIP);
