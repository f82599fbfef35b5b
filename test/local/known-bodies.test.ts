import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { bytesOf } from '#local/known-bodies.ts';

/** Bodies as they go over the wire. */

const text = 'Žluťoučký kůň '.repeat(200);

it('are the text in each of its forms', async () => {
  expect((await bytesOf(text, 'identity')).toString()).toBe(text);
  expect(gunzipSync(await bytesOf(text, 'gzip')).toString()).toBe(text);
  expect(brotliDecompressSync(await bytesOf(text, 'br')).toString()).toBe(text);
});

it('are made once for a text, until too many others have come', async () => {
  const gzip = await bytesOf(text, 'gzip');
  expect(await bytesOf([...text].join(''), 'gzip')).toBe(gzip);
  for (let n = 0; n < 5; n += 1) await bytesOf(`${n}${'x'.repeat(4_000_000)}`, 'identity');
  const again = await bytesOf(text, 'gzip');
  expect(again).not.toBe(gzip);
  expect(again).toEqual(gzip);
});

it('are not kept beyond the limit because they compress well', async () => {
  const gzip = await bytesOf(text, 'gzip');
  for (let n = 0; n < 5; n += 1) await bytesOf(`${n}${'y'.repeat(4_000_000)}`, 'gzip');
  expect(await bytesOf(text, 'gzip')).not.toBe(gzip);
});
