import type { FacetName } from '#contract/projects.ts';
import type { CategoryList } from './category-list.ts';
import type { Row } from './row.ts';
import type { CatalogScope } from './types.ts';

/** One of the values is enough to match. Categories are given by their current slugs. */
export interface FacetFilter {
  readonly name: FacetName;
  readonly values: readonly string[];
}

/** The listings of a scope, of every owner, that match all filters. */
export interface FilteredScope {
  readonly scope: Pick<CatalogScope, 'status' | 'deleted'>;
  /** At most one per property. */
  readonly filters: readonly FacetFilter[];
}

/** The values of one listing, possibly repeated. */
export const facetValues = (name: FacetName, row: Row, categories: CategoryList): readonly string[] => {
  switch (name) {
    case 'category':
      return row.categories;
    case 'sphere':
      return categories.spheresOf(row.categories);
    case 'pricing':
      return [row.pricing];
    case 'status':
      return [row.status];
    case 'tag':
      return row.tags;
  }
};

/** Whether a listing belongs to a scope and matches its filters. */
export const isWithin = (row: Row, { scope, filters }: FilteredScope, categories: CategoryList): boolean => {
  if (row.deletedAt !== null && scope.deleted === 'excluded') return false;
  if (scope.status !== 'any' && scope.status !== row.status) return false;
  return filters.every(({ name, values }) =>
    facetValues(name, row, categories).some((value) => values.includes(value)),
  );
};

/** A key in maps, equal for equal scopes with the same filters in the same order. */
export const keyOf = ({ scope, filters }: FilteredScope): string =>
  JSON.stringify([scope.status, scope.deleted, filters]);
