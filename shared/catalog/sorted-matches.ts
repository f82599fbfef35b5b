import type { Bitmap } from './bitmap.ts';
import type { CursorPosition } from './cursor.ts';
import { type Order, OrderView } from './order.ts';
import { CursorError } from './types.ts';

interface Group {
  readonly matches: Bitmap;
  readonly total: number;
  readonly view: OrderView;
}

interface Page {
  /** The number of matches before the page. */
  readonly offset: number;
  readonly slots: readonly number[];
}

/** The matches of a query in the order of its list: group after group, each sorted. */
export class SortedMatches {
  readonly total: number;
  readonly #groups: readonly Group[];

  /** @param groups disjoint. */
  constructor(groups: readonly Bitmap[], order: Order, reversed: boolean) {
    this.#groups = groups.map((matches) => {
      const total = matches.count();
      return { matches, total, view: OrderView.of(order, reversed, matches, total) };
    });
    this.total = totalOf(this.#groups);
  }

  /** The index of the group with this match. */
  groupOf(slot: number): number {
    return this.#groups.findIndex(({ matches }) => matches.has(slot));
  }

  /** @param page from 1. */
  page(page: number, limit: number): Page {
    const offset = (page - 1) * limit;
    return { offset, slots: take(this.#groups, offset, limit) };
  }

  /**
   * The matches after a position, whose item need not be among them.
   * @throws {CursorError} when there is no such group.
   */
  after({ group, item }: CursorPosition, limit: number): Page {
    const found = this.#groups[group];
    if (!found) throw new CursorError('The cursor belongs to another kind of list.');
    const { matches, total, view } = found;
    const position = view.positionAfter(item);
    const offset = totalOf(this.#groups.slice(0, group)) + view.matchesBefore(position, matches, total);
    const slots = view.take(matches, position, 0, limit);
    return { offset, slots: [...slots, ...take(this.#groups.slice(group + 1), 0, limit - slots.length)] };
  }
}

const totalOf = (groups: readonly Group[]): number => groups.reduce((sum, { total }) => sum + total, 0);

/** The matches of the groups at an offset. */
const take = (groups: readonly Group[], offset: number, limit: number): number[] => {
  const slots: number[] = [];
  let skip = offset;
  for (const { matches, total, view } of groups) {
    slots.push(...view.page(matches, total, skip, limit - slots.length));
    skip = Math.max(0, skip - total);
  }
  return slots;
};
