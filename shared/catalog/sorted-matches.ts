import type { CursorPosition } from './cursor.ts';
import type { Matches } from './filter-cache.ts';
import type { Order } from './order.ts';
import { OrderedMatches } from './ordered-matches.ts';
import { CursorError } from './types.ts';

interface Page {
  /** The number of matches before the page. */
  readonly offset: number;
  readonly slots: readonly number[];
}

/** The matches of a query in the order of its list: group after group, each sorted. */
export class SortedMatches {
  readonly total: number;
  readonly #groups: readonly OrderedMatches[];

  /** @param groups disjoint. */
  constructor(groups: readonly Matches[], order: Order, reversed: boolean) {
    this.#groups = groups.map((matches) => new OrderedMatches(order, reversed, matches));
    this.total = totalOf(this.#groups);
  }

  /** The index of the group with this match. */
  groupOf(slot: number): number {
    return this.#groups.findIndex((group) => group.has(slot));
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
    const { offset, slots } = found.after(item, limit);
    return {
      offset: totalOf(this.#groups.slice(0, group)) + offset,
      slots: [...slots, ...take(this.#groups.slice(group + 1), 0, limit - slots.length)],
    };
  }
}

const totalOf = (groups: readonly OrderedMatches[]): number => groups.reduce((sum, { total }) => sum + total, 0);

/** The matches of the groups at an offset. */
const take = (groups: readonly OrderedMatches[], offset: number, limit: number): number[] => {
  const slots: number[] = [];
  let skip = offset;
  for (const group of groups) {
    slots.push(...group.page(skip, limit - slots.length));
    skip = Math.max(0, skip - group.total);
  }
  return slots;
};
