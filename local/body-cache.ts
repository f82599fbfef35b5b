import { compress, type Encoding } from './compression.ts';

/** Size limit of the cache: bytes of the bodies, characters of their texts, and `ENTRY_SIZE` for each ETag. */
const CACHE_MAX = 16 * 1024 * 1024;
/** An ETag with its place in the map, in bytes. Most ETags are sent once. */
const ENTRY_SIZE = 150;

interface CachedBody {
  readonly text: string;
  readonly bytes: Partial<Record<Encoding | 'identity', Buffer>>;
}

/** By ETag; undefined for an ETag that was sent once. */
const cache = new Map<string, CachedBody | undefined>();
let cacheSize = 0;

const sizeOf = (body: CachedBody | undefined): number => {
  let size = ENTRY_SIZE + (body?.text.length ?? 0);
  for (const bytes of Object.values(body?.bytes ?? {})) size += bytes.length;
  return size;
};

const remember = (etag: string, body: CachedBody | undefined): void => {
  if (cache.has(etag)) cacheSize -= sizeOf(cache.get(etag));
  const size = sizeOf(body);
  if (cacheSize + size > CACHE_MAX) {
    cache.clear();
    cacheSize = 0;
  }
  cache.set(etag, body);
  cacheSize += size;
};

const encode = async (body: string | Buffer, encoding: Encoding | undefined): Promise<Buffer> => {
  const plain = typeof body === 'string' ? Buffer.from(body) : body;
  return encoding === undefined ? plain : await compress(plain, encoding);
};

/**
 * The bytes of a body in UTF-8, compressed if an encoding is given. Those of a text are cached from the second request
 * on: a page of a list that is requested often is sent in half of the time. The cache is emptied when it is full.
 * @param etag finds the text without hashing it; the texts are compared as well.
 */
export const bodyBytes = async (
  body: string | Buffer,
  encoding: Encoding | undefined,
  etag: string | undefined,
): Promise<Buffer> => {
  if (typeof body !== 'string' || etag === undefined) return await encode(body, encoding);
  const isKnown = cache.has(etag);
  const cached = cache.get(etag);
  const known = cached?.text === body ? cached.bytes : undefined;
  const found = known?.[encoding ?? 'identity'];
  if (found) return found;
  const bytes = await encode(body, encoding);
  remember(etag, isKnown ? { text: body, bytes: { ...known, [encoding ?? 'identity']: bytes } } : undefined);
  return bytes;
};
