import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { bodyBytes } from '#local/body-cache.ts';
import type { Encoding } from '#local/compression.ts';

const text = 'Žluťoučký kůň '.repeat(200);
const copyOf = (one: string): string => [...one].join('');

/** The bytes at the third request, and whether they are those of the second one. */
const cachedBytes = async (
  body: string | Buffer,
  encoding: Encoding | undefined,
  etag: string | undefined,
): Promise<{ bytes: Buffer; isCached: boolean }> => {
  await bodyBytes(body, encoding, etag);
  const second = await bodyBytes(body, encoding, etag);
  const bytes = await bodyBytes(typeof body === 'string' ? copyOf(body) : Buffer.from(body), encoding, etag);
  return { bytes, isCached: bytes === second };
};

it('encodes a text with and without compression, and caches each from the second request on', async () => {
  const first = await bodyBytes(text, 'gzip', '"a"');
  expect(gunzipSync(first).toString()).toBe(text);
  expect(await bodyBytes(text, 'gzip', '"a"')).not.toBe(first);

  const gzip = await cachedBytes(text, 'gzip', '"a"');
  const brotli = await cachedBytes(text, 'br', '"a"');
  const plain = await cachedBytes(text, undefined, '"a"');
  expect([gzip.isCached, brotli.isCached, plain.isCached]).toEqual([true, true, true]);
  expect(gunzipSync(gzip.bytes).toString()).toBe(text);
  expect(brotliDecompressSync(brotli.bytes).toString()).toBe(text);
  expect(plain.bytes.toString()).toBe(text);
  expect(await bodyBytes(text, 'gzip', '"a"')).toBe(gzip.bytes);
});

it('sends the text of a response whose ETag was sent with another text', async () => {
  await cachedBytes(text, 'gzip', '"b"');
  const other = `${text}!`;
  expect(gunzipSync(await bodyBytes(other, 'gzip', '"b"')).toString()).toBe(other);
  expect((await bodyBytes(other, undefined, '"b"')).toString()).toBe(other);
});

it('encodes bytes and texts without an ETag each time', async () => {
  const bytes = Buffer.from(text);
  expect(await bodyBytes(bytes, undefined, '"c"')).toBe(bytes);
  expect(await cachedBytes(bytes, 'gzip', '"c"')).toMatchObject({ isCached: false });
  expect(await cachedBytes(text, 'gzip', undefined)).toMatchObject({ isCached: false });
});

it('empties the cache when its texts and bytes exceed the limit', async () => {
  const { bytes } = await cachedBytes(text, 'gzip', '"d"');
  expect(await bodyBytes(text, 'gzip', '"d"')).toBe(bytes);
  for (let n = 0; n < 5; n += 1) await cachedBytes(`${n}${'x'.repeat(4_000_000)}`, 'gzip', `"d${n}"`);
  const again = await bodyBytes(text, 'gzip', '"d"');
  expect(again).not.toBe(bytes);
  expect(again).toEqual(bytes);
});

it('counts the ETags that were sent once towards the limit', async () => {
  const { bytes } = await cachedBytes(text, 'gzip', '"e"');
  for (let n = 0; n < 120_000; n += 1) await bodyBytes('x', undefined, `"e${n}"`);
  expect(await bodyBytes(text, 'gzip', '"e"')).not.toBe(bytes);
});
