import { expect, it } from 'vitest';
import { findItem } from '#data/read.ts';
import { putItem, transact, updateItem } from '#data/write.ts';
import { unique } from '#test/support/fixtures.ts';
import { withBareTable } from '#test/support/with-bare-table.ts';

withBareTable();

const newKey = () => ({ pk: unique('item'), sk: 'A' });
const long = 'x'.repeat(400 * 1024);
const TOO_LARGE = { code: 'PAYLOAD_TOO_LARGE', status: 413 };

it('an item above 400 KB is refused as too large, with all other writes of its transaction', async () => {
  const [key, other] = [newKey(), newKey()];
  await expect(putItem({ ...key, text: long })).rejects.toMatchObject(TOO_LARGE);
  await expect(transact([{ put: other }, { put: { ...key, text: long } }])).rejects.toMatchObject(TOO_LARGE);
  expect([await findItem(key), await findItem(other)]).toEqual([undefined, undefined]);
});

it('an item that a change makes larger than 400 KB stays as it is', async () => {
  const [key, other] = [newKey(), newKey()];
  const half = 'x'.repeat(200 * 1024);
  await putItem({ ...key, text: half });
  const change = { set: { more: half } };
  await expect(updateItem(key, change)).rejects.toMatchObject(TOO_LARGE);
  await expect(transact([{ put: other }, { update: key, change }])).rejects.toMatchObject(TOO_LARGE);
  expect([await findItem(key), await findItem(other)]).toEqual([{ ...key, text: half }, undefined]);
});

it('a condition that fails is reported before the size of another item', async () => {
  const [key, other] = [newKey(), newKey()];
  await putItem({ ...key, text: 'x'.repeat(200 * 1024) });
  const taken = { put: other, when: () => 'attribute_exists(pk)', orElse: () => new Error('It is gone.') };
  const grown = { update: key, change: { set: { more: 'x'.repeat(200 * 1024) } } };
  await expect(transact([grown, taken])).rejects.toThrow('It is gone.');
});
