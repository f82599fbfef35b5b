import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from '#catalog/order.ts';
import type { Sortable } from '#catalog/rows.ts';
import { CursorError } from '#catalog/types.ts';
import type { SortOrder } from '#contract/projects.ts';
import { longTest } from '#test/support/long-test.ts';

const item: Sortable = {
  id: 'prj_1',
  created: '2026-01-01T00:00:00.000Z',
  published: '2026-02-01T00:00:00.000Z',
  upvotes: 7,
  rating: 4.33,
  ratings: 3,
  weightedRating: 3.5,
  views: 12,
  name: '東京 tool',
  trending: 39_261.123_456_789,
};

const encode = (sort: SortOrder, of = item): string => encodeCursor(sort, { group: 0, item: of });
const decodedItem = (sort: SortOrder, cursor: string): Sortable => decodeCursor(sort, cursor).item;

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

it('a cursor contains the sort values of its order', () => {
  expect(decodedItem('newest', encode('newest', item))).toMatchObject({
    id: item.id,
    created: item.created,
    published: item.published,
  });
  expect(decodedItem('rating', encode('rating', item))).toMatchObject({
    id: item.id,
    rating: 4.33,
    ratings: 3,
  });
  expect(decodedItem('name_desc', encode('name_desc', item))).toMatchObject({ id: item.id, name: item.name });
  expect(decodedItem('trending', encode('trending', item))).toMatchObject({ id: item.id, trending: item.trending });
});

it('a cursor contains the group of its item', () => {
  for (const group of [0, 1, 7]) {
    const cursor = encodeCursor('upvotes', { group, item });
    expect(decodeCursor('upvotes', cursor)).toMatchObject({ group, item: { id: item.id, upvotes: 7 } });
  }
});

it('a cursor is URL-safe', () => {
  expect(encode('name', { ...item, name: '???>>>ÿÿ~~~\ud800' })).toMatch(/^[\w-]+$/);
});

longTest('a cursor preserves any name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      expect(decodedItem('name', encode('name', { ...item, name })).name).toBe(name);
    }),
    { seed: 1, numRuns: 500 },
  );
});

it.each([
  ['of another order', encode('newest', item)],
  ['of the same values but another order', encode('views', item)],
  ['empty', ''],
  ['not base64', '§§§'],
  ['not JSON', 'AAAA'],
  ['not a list', encoded({ sort: 'upvotes' })],
  ['null', encoded(null)],
  ['too short', encoded(['upvotes', 7])],
  ['too long', encoded(['upvotes', 7, 'prj_1', 1])],
  ['of wrong types', encoded(['upvotes', '7', 'prj_1'])],
  ['with null', encoded(['upvotes', null, 'prj_1'])],
  ['with a list in place of a string', encoded(['upvotes', 7, ['prj_1']])],
  ['of the first group, written out', encoded([0, 'upvotes', 7, 'prj_1'])],
  ['of two groups', encoded([1, 1, 'upvotes', 7, 'prj_1'])],
  ['of a group in the wrong place', encoded(['upvotes', 1, 7, 'prj_1'])],
  ['of an infinite group', Buffer.from('[1e999,"upvotes",7,"prj_1"]').toString('base64url')],
  ['of infinite numbers', Buffer.from('["upvotes",1e999,"prj_1"]').toString('base64url')],
  ['not canonical JSON', Buffer.from('["upvotes", 7, "prj_1"]').toString('base64url')],
  ['padded', `${encode('upvotes', item)}==`],
  ['surrounded by space', ` ${encode('upvotes', item)}`],
  ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]).toString('base64url')],
  ['of the sort order "__proto__"', encoded(['__proto__', 7, 'prj_1'])],
])('a cursor is rejected when it is %s', (_, cursor) => {
  expect(() => decodeCursor('upvotes', cursor)).toThrow(CursorError);
});

it('a cursor is either decoded or rejected with a CursorError, whatever the text', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json().map((json) => Buffer.from(json).toString('base64url')),
      ),
      (text) => {
        try {
          decodeCursor('name', text);
        } catch (error) {
          expect(error).toBeInstanceOf(CursorError);
        }
      },
    ),
    { seed: 1, numRuns: 2000 },
  );
});
