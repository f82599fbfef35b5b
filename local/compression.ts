import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';

/** A way of compressing that both sides know. */
export type Encoding = 'br' | 'gzip';

/** Answers up to this size are sent as they are, in bytes. */
export const COMPRESS_ABOVE = 1024;

// Fast levels: whoever waits for the answer waits for the compression too.
const GZIP = { level: 5 };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Whether bodies of this type become smaller. */
export const isCompressible = (contentType: string | undefined): boolean =>
  /^(?:text\/|image\/svg\+xml|application\/(?:[\w.+-]+\+)?(?:json|xml|javascript))/i.test(contentType ?? '');

/** The encoding that the caller likes best, of those that he accepts. */
export const chooseEncoding = (acceptEncoding: string | undefined): Encoding | undefined => {
  const wishes = new Map<string, number>();
  for (const part of (acceptEncoding ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const weight = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
    if (name !== '') wishes.set(name, Number.isNaN(weight) ? 0 : weight);
  }
  const weightOf = (encoding: Encoding): number => wishes.get(encoding) ?? wishes.get('*') ?? 0;
  const [br, gz] = [weightOf('br'), weightOf('gzip')];
  if (br <= 0 && gz <= 0) return undefined;
  return br >= gz ? 'br' : 'gzip';
};

const gzipped = promisify(gzip) as (body: Buffer, options: typeof GZIP) => Promise<Buffer>;
const brotlied = promisify(brotliCompress) as (body: Buffer, options: typeof BROTLI) => Promise<Buffer>;

/** A body in an encoding. */
export const compress = async (body: Buffer, encoding: Encoding): Promise<Buffer> =>
  encoding === 'br' ? await brotlied(body, BROTLI) : await gzipped(body, GZIP);

/** A stream that compresses what goes through it. */
export const compressor = (encoding: Encoding): Transform =>
  encoding === 'br' ? createBrotliCompress(BROTLI) : createGzip(GZIP);
