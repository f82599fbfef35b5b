import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from '#catalog/cursor.ts';
import type { Sortable } from '#catalog/row.ts';
import { CursorError } from '#catalog/types.ts';

const item: Sortable = {
  id: 'prj_1',
  created: '2026-01-01T00:00:00.000Z',
  published: '2026-02-01T00:00:00.000Z',
  upvotes: 7,
  rating: 4.33,
  ratings: 3,
  views: 12,
  name: '東京 tool',
  hot: 39_261.123_456_789,
};

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a cursor', () => {
  it('remembers what places an item in its order', () => {
    expect(decodeCursor('newest', encodeCursor('newest', item))).toMatchObject({
      id: item.id,
      created: item.created,
      published: item.published,
    });
    expect(decodeCursor('rating', encodeCursor('rating', item))).toMatchObject({
      id: item.id,
      rating: 4.33,
      ratings: 3,
    });
    expect(decodeCursor('name_desc', encodeCursor('name_desc', item))).toMatchObject({ id: item.id, name: item.name });
    expect(decodeCursor('trending', encodeCursor('trending', item))).toMatchObject({ id: item.id, hot: item.hot });
  });

  it('is text for an address', () => {
    expect(encodeCursor('name', { ...item, name: '???>>>ÿÿ~~~\ud800' })).toMatch(/^[\w-]+$/);
  });

  it('survives any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(decodeCursor('name', encodeCursor('name', { ...item, name })).name).toBe(name);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it.each([
    ['of another order', encodeCursor('newest', item)],
    ['of the same values but another order', encodeCursor('views', item)],
    ['empty', ''],
    ['no base64', '§§§'],
    ['no JSON', 'AAAA'],
    ['no list', encoded({ sort: 'upvotes' })],
    ['null', encoded(null)],
    ['too short', encoded(['upvotes', 7])],
    ['too long', encoded(['upvotes', 7, 'prj_1', 1])],
    ['of wrong types', encoded(['upvotes', '7', 'prj_1'])],
    ['with null', encoded(['upvotes', null, 'prj_1'])],
    ['with a list for text', encoded(['upvotes', 7, ['prj_1']])],
    ['of infinite numbers', Buffer.from('["upvotes",1e999,"prj_1"]').toString('base64url')],
    ['written otherwise', Buffer.from('["upvotes", 7, "prj_1"]').toString('base64url')],
    ['padded', `${encodeCursor('upvotes', item)}==`],
    ['surrounded by space', ` ${encodeCursor('upvotes', item)}`],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]).toString('base64url')],
    ['a key of objects', encoded(['__proto__', 7, 'prj_1'])],
  ])('is refused when it is %s', (_, cursor) => {
    expect(() => decodeCursor('upvotes', cursor)).toThrow(CursorError);
  });

  it('is refused or read, whatever the text', () => {
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
});
