import { expect, it } from 'vitest';
import type { FieldChange } from '#contract/projects.ts';
import { type BatchEntry, type BatchRecord, batchItemView, batchStateAt, withShortValues } from '#model/batch.ts';
import { Fields } from '#model/field.ts';
import { shortChange } from '#model/short-change.ts';
import { field } from '#test/catalog/fixtures.ts';

const fields = new Fields([field({ id: 'fld_1', key: 'story', type: 'long_text' })]);

const entryWith = (...changes: readonly FieldChange[]): BatchEntry => ({
  ...{ position: '000000002', row: 2, outcome: 'updated', project: null, message: null, reason: null },
  changes: [...changes],
});

const shown = (entry: BatchEntry) => batchItemView(entry, fields, 'staff').changes;

const emoji = (count: number): string => '🦊'.repeat(count);

it.each([
  ['a text', 'x'.repeat(2001), 'x'.repeat(2000)],
  ['a text of characters with two units', emoji(2001), emoji(2000)],
  [
    'a list, whose entries count together',
    ['a'.repeat(1500), 'b'.repeat(1500), 'c'],
    ['a'.repeat(1500), 'b'.repeat(500)],
  ],
  ['a list of characters with two units', [emoji(1500), emoji(1500)], [emoji(1500), emoji(500)]],
  ['a list whose first entries have all of them', ['x'.repeat(2000), 'y', ''], ['x'.repeat(2000)]],
])('an item shows the first 2,000 characters of a value: %s', (_, value, cut) => {
  const [change] = shown(entryWith({ field: 'screenshots', before: value, after: null }));
  expect(change).toEqual({ field: 'screenshots', before: cut, after: null, truncated: true });
  expect(shown(entryWith({ field: 'screenshots', before: null, after: value }))).toEqual([
    { field: 'screenshots', before: null, after: cut, truncated: true },
  ]);
});

it.each([
  ['x'.repeat(2000)],
  [emoji(2000)],
  [['a'.repeat(1000), 'b'.repeat(1000)]],
  [[emoji(1500), 'b'.repeat(500)]],
  [['', 'a']],
  [[]],
  [null],
  [5],
  [{ zone: 'Europe/Berlin', week: {}, closed: [] }],
])('an item shows a value of up to 2,000 characters as it is', (value) => {
  const change = { field: 'name' as const, before: value, after: null };
  expect(shown(entryWith(change))).toEqual([change]);
});

it('an item shows null for a value without beginning and end that is too long', () => {
  const closed = Array.from({ length: 200 }, () => '2026-01-01');
  const change = { field: 'fields.hours' as const, before: null, after: { zone: 'Europe/Berlin', week: {}, closed } };
  expect(shortChange(change, 2000)).toEqual({ ...change, after: null, truncated: true });
  expect(shortChange(change, 5000)).toEqual(change);
});

it('an entry that is only shown is stored with short values, and is shown as if it had all of them', () => {
  const long = 'x'.repeat(9000);
  const entry = entryWith(
    { field: 'long_description', before: null, after: long },
    // Values of further fields are stored as JSON.
    { field: 'fields.fld_1', before: null, after: JSON.stringify(long) },
    { field: 'name', before: 'A', after: 'B' },
  );
  const stored = withShortValues(entry);
  expect(shown(stored)).toEqual(shown(entry));
  expect(shown(stored)).toEqual([
    { field: 'long_description', before: null, after: 'x'.repeat(2000), truncated: true },
    { field: 'fields.story', before: null, after: 'x'.repeat(2000), truncated: true },
    { field: 'name', before: 'A', after: 'B' },
  ]);
  expect(JSON.stringify(stored).length).toBeLessThan(12_000);
});

const AT = '2026-11-29T12:00:00.000Z';

it.each([
  [null, 'running'],
  ['2026-11-29T12:00:00.000Z', 'running'],
  ['2026-11-29T12:16:00.000Z', 'running'],
  ['2026-11-29T11:59:59.999Z', 'failed'],
  // Of a clock that was ahead: no work takes as long.
  ['2026-11-29T12:16:01.000Z', 'failed'],
  ['2030-11-29T12:00:00.000Z', 'failed'],
])('a batch that runs until %s is %s', (running_until, state) => {
  expect(batchStateAt({ state: 'running', running_until } as BatchRecord, AT)).toBe(state);
  expect(batchStateAt({ state: 'done', running_until } as BatchRecord, AT)).toBe('done');
});
