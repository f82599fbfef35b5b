import type { SortOrder } from '#contract/projects.ts';
import type { Sortable } from './row.ts';
import { CursorError } from './types.ts';

type Field = keyof Sortable;

/** The values that place an item in each order; with them a cursor needs no item to point at. */
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

/** Opaque text for the place right after an item in a sort order; at most a kilobyte. */
export const encodeCursor = (sort: SortOrder, item: Sortable): string => {
  const json = JSON.stringify([sort, ...fieldsOf[sort].map((field) => item[field])]);
  const bytes = new TextEncoder().encode(json);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
};

/**
 * The sort values that a cursor remembers; fields that its order does not use are blank.
 *
 * @throws {CursorError} when the text is not a cursor of this sort order.
 */
export const decodeCursor = (sort: SortOrder, cursor: string): Sortable => {
  const [madeFor, ...values] = parse(cursor);
  if (madeFor !== sort) throw new CursorError('the cursor is not one of this sort order');
  const remembered: Partial<Record<Field, unknown>> = {};
  for (const [i, field] of fieldsOf[sort].entries()) {
    if (typeof values[i] !== typeof blank[field]) throw new CursorError('the cursor holds something else');
    remembered[field] = values[i];
  }
  const item = { ...blank, ...(remembered as Partial<Sortable>) };
  // What encodes to another text was not written by this catalog, however well it reads.
  if (encodeCursor(sort, item) !== cursor) throw new CursorError('the cursor was not made by this list');
  return item;
};

const parse = (cursor: string): readonly unknown[] => {
  try {
    const base64 = cursor.replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const values: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return Array.isArray(values) ? values : [];
  } catch {
    throw new CursorError('the cursor is not readable');
  }
};
