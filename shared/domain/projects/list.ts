import * as z from 'zod';
import type { CatalogFilters, CatalogPage, CatalogQuery, CatalogScope, ReadCatalog } from '#catalog/types.ts';
import { checked } from '#contract/checked.ts';
import { type browse, type FacetName, type list, type Project, type SortOrder, Status } from '#contract/projects.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { invalidField } from '#shared/errors.ts';
import { projectView } from './view.ts';

type ListQuery = z.output<typeof list.query>;
type BrowseQuery = z.output<typeof browse.query>;
type CommonQuery = Omit<ListQuery, 'status'>;

const StatusParameter = z.object({ status: Status });

const filtersOf = (query: CommonQuery, searchIn: CatalogFilters['searchIn']): CatalogFilters => ({
  searchIn,
  ...(query.category && query.category.length > 0 && { category: query.category }),
  ...(query.sphere && query.sphere.length > 0 && { sphere: query.sphere }),
  ...(query.pricing !== 'all' && { pricing: query.pricing }),
  ...(query.q !== undefined && { q: query.q }),
  ...(query.bbox && {
    bbox: { west: query.bbox[0], south: query.bbox[1], east: query.bbox[2], north: query.bbox[3] },
  }),
  ...(query.near && {
    near: { latitude: query.near[0], longitude: query.near[1], radiusKm: query.radius_km },
  }),
});

const ask = (catalog: ReadCatalog, query: CatalogQuery): CatalogPage => {
  try {
    return catalog.query(query);
  } catch (error) {
    if (error instanceof Error && error.name === 'CursorError') {
      throw invalidField(['cursor'], 'is not a cursor of this list');
    }
    throw error;
  }
};

const paged = (query: {
  sort: SortOrder;
  page: number;
  limit: number;
  cursor?: string | undefined;
  facets?: FacetName[] | undefined;
}) => ({
  sort: query.sort,
  page: query.page,
  limit: query.limit,
  ...(query.cursor !== undefined && { cursor: query.cursor }),
  ...(query.facets && query.facets.length > 0 && { facets: query.facets }),
});

const answer = (catalog: ReadCatalog, found: CatalogPage, caller: UserRecord | undefined) => ({
  data: found.entries.map((entry): Project => {
    const others = caller?.is_admin
      ? catalog.sameUrl(entry.project.url).filter((id) => id !== entry.project.id)
      : undefined;
    return projectView(entry, caller, others && { duplicates: others });
  }),
  meta: {
    total: found.total,
    page: found.page,
    pageSize: found.pageSize,
    hasMore: found.hasMore,
    nextCursor: found.nextCursor,
    ...(found.facets && { facets: copied(found.facets) }),
  },
});

const copied = (facets: NonNullable<CatalogPage['facets']>) =>
  Object.fromEntries(Object.entries(facets).map(([name, counts]) => [name, (counts ?? []).map((one) => ({ ...one }))]));

/** The public list. An administrator's `status` is honoured, everybody else's is not looked at. @throws 400 */
export const listProjects = (catalog: ReadCatalog, caller: UserRecord | undefined, query: ListQuery) => {
  const status =
    caller?.is_admin && query.status !== undefined ? checked(StatusParameter, { status: query.status }).status : 'live';
  const scope: CatalogScope = { status, deleted: 'excluded' };
  return answer(catalog, ask(catalog, { scope, filters: filtersOf(query, 'public'), ...paged(query) }), caller);
};

/** The administrators' list; `all` alone includes deleted projects. @throws 400 */
export const browseProjects = (catalog: ReadCatalog, admin: UserRecord, query: BrowseQuery) => {
  const scope: CatalogScope =
    query.status === 'all' ? { status: 'any', deleted: 'included' } : { status: query.status, deleted: 'excluded' };
  return answer(catalog, ask(catalog, { scope, filters: filtersOf(query, 'admin'), ...paged(query) }), admin);
};

/** A user's own submissions: newest first, every status, without deleted ones. */
export const listSubmissions = (catalog: ReadCatalog, owner: UserRecord, query: { page: number; limit: number }) => {
  const found = catalog.query({
    scope: { status: 'any', deleted: 'excluded', ownerId: owner.id },
    filters: { searchIn: 'public' },
    sort: 'newest',
    page: query.page,
    limit: query.limit,
  });
  return {
    data: found.entries.map((entry) =>
      projectView(entry, owner, { queuePosition: catalog.queuePosition(entry.project.id) }),
    ),
    meta: { total: found.total, page: found.page, pageSize: found.pageSize, hasMore: found.hasMore },
  };
};
