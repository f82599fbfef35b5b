import type { SortOrder } from '#contract/projects.ts';
import type { Sortable } from './row.ts';
import { CursorError } from './types.ts';

type Field = keyof Sortable;

/** The sort keys of each order. A cursor holds their values, so it stays valid when its item changes or disappears. */
const fieldsOf: Readonly<Record<SortOrder, readonly Field[]>> = {
  newest: ['published', 'created', 'id'],
  oldest: ['published', 'created', 'id'],
  upvotes: ['upvotes', 'id'],
  rating: ['rating', 'ratings', 'id'],
  views: ['views', 'id'],
  name: ['name', 'id'],
  name_desc: ['name', 'id'],
  trending: ['hot', 'id'],
};

const blank: Sortable = {
  id: '',
  created: '',
  published: '',
  upvotes: 0,
  rating: 0,
  ratings: 0,
  views: 0,
  name: '',
  hot: 0,
};

/** A position in a list: right after an item of one of its groups. */
export interface CursorPosition {
  /** From 0. */
  readonly group: number;
  readonly item: Sortable;
}

/** An opaque cursor for a position in a sort order; at most 1 KB. The first group, mostly the only one, is implied. */
export const encodeCursor = (sort: SortOrder, { group, item }: CursorPosition): string => {
  const values = [sort, ...fieldsOf[sort].map((field) => item[field])];
  return Buffer.from(JSON.stringify(group === 0 ? values : [group, ...values])).toString('base64url');
};

/**
 * The position of a cursor; fields of the item that its order does not use are blank.
 * @throws {CursorError} when it is not a cursor of this sort order.
 */
export const decodeCursor = (sort: SortOrder, cursor: string): CursorPosition => {
  const parsed = parse(cursor);
  const group = typeof parsed[0] === 'number' ? parsed[0] : 0;
  const [itsSort, ...values] = group === 0 ? parsed : parsed.slice(1);
  if (itsSort !== sort) throw new CursorError('The cursor belongs to another sort order.');
  const remembered: Partial<Record<Field, unknown>> = {};
  for (const [i, field] of fieldsOf[sort].entries()) {
    if (typeof values[i] !== typeof blank[field]) throw new CursorError('The cursor has values of other types.');
    remembered[field] = values[i];
  }
  const position = { group, item: { ...blank, ...(remembered as Partial<Sortable>) } };
  // Accepts the canonical encoding only.
  if (encodeCursor(sort, position) !== cursor) throw new CursorError('The cursor is not canonical.');
  return position;
};

const parse = (cursor: string): readonly unknown[] => {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(values) ? values : [];
  } catch {
    throw new CursorError('The cursor is not readable.');
  }
};
