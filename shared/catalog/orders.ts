import type { SortOrder } from '#contract/projects.ts';
import type { Sortable } from './row.ts';

/** Negative when the first one comes first; 0 only for the same id. */
export type Compare = (a: Sortable, b: Sortable) => number;

const ascending = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

const byId: Compare = (a, b) => ascending(a.id, b.id);

/** Oldest first by creation. */
export const byCreation: Compare = (a, b) => ascending(a.created, b.created) || byId(a, b);

/** The orders that are kept. `creation` serves walks over everything and the moderation queue, the others the sort orders. */
export const orders = {
  creation: byCreation,
  oldest: (a, b) => ascending(a.published, b.published) || byCreation(a, b),
  upvotes: (a, b) => b.upvotes - a.upvotes || byId(b, a),
  rating: (a, b) => b.rating - a.rating || b.ratings - a.ratings || byId(b, a),
  views: (a, b) => b.views - a.views || byId(b, a),
  name: (a, b) => ascending(a.name, b.name) || byId(a, b),
  trending: (a, b) => b.hot - a.hot || byId(b, a),
} as const satisfies Record<string, Compare>;

/** The name of an order that is kept. */
export type KeptOrder = keyof typeof orders;

/** Which kept order a sort order walks, and whether from its end. */
export const walks: Readonly<Record<SortOrder, { readonly order: KeptOrder; readonly backwards: boolean }>> = {
  newest: { order: 'oldest', backwards: true },
  oldest: { order: 'oldest', backwards: false },
  upvotes: { order: 'upvotes', backwards: false },
  rating: { order: 'rating', backwards: false },
  views: { order: 'views', backwards: false },
  name: { order: 'name', backwards: false },
  name_desc: { order: 'name', backwards: true },
  trending: { order: 'trending', backwards: false },
};
