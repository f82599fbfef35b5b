import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { compressedText } from '#local/compression.ts';

const text = 'Žluťoučký kůň '.repeat(200);

it('compresses a text in each encoding', async () => {
  expect(gunzipSync(await compressedText(text, 'gzip')).toString()).toBe(text);
  expect(brotliDecompressSync(await compressedText(text, 'br')).toString()).toBe(text);
});

it('caches the compressed bytes of a text until the cache is full', async () => {
  const gzip = await compressedText(text, 'gzip');
  expect(await compressedText([...text].join(''), 'gzip')).toBe(gzip);
  for (let n = 0; n < 5; n += 1) await compressedText(`${n}${'x'.repeat(4_000_000)}`, 'br');
  const again = await compressedText(text, 'gzip');
  expect(again).not.toBe(gzip);
  expect(again).toEqual(gzip);
});

it('counts the length of the texts towards the limit of the cache', async () => {
  const gzip = await compressedText(text, 'gzip');
  for (let n = 0; n < 5; n += 1) await compressedText(`${n}${'y'.repeat(4_000_000)}`, 'gzip');
  expect(await compressedText(text, 'gzip')).not.toBe(gzip);
});
