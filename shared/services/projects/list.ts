import * as z from 'zod';
import {
  type CatalogEntry,
  type CatalogFilters,
  type CatalogPage,
  type CatalogQuery,
  type CatalogScope,
  CursorError,
  type ReadCatalog,
} from '#catalog/types.ts';
import { checkedQuery } from '#contract/fields.ts';
import {
  type browse,
  type FacetName,
  type list,
  MAP_ITEMS_MAX,
  type Project,
  type SortOrder,
  Status,
} from '#contract/projects.ts';
import { catalog } from '#data/catalog.ts';
import type { Fragment } from '#model/fragment.ts';
import { hasAdminRights } from '#model/policy.ts';
import { appliedRule } from '#model/project.ts';
import type { UserRecord } from '#model/user.ts';
import { invalidField } from '#shared/errors.ts';
import { editorListing, listingFor, mapItem } from './fragments.ts';

type ListQuery = z.output<typeof list.query>;
type BrowseQuery = z.output<typeof browse.query>;
type CommonQuery = Omit<ListQuery, 'status' | 'facets'>;

const StatusParameter = z.object({ status: Status });

const filtersOf = (query: CommonQuery, searchIn: CatalogFilters['searchIn']): CatalogFilters => ({
  searchIn,
  ...(query.category && query.category.length > 0 && { category: query.category }),
  ...(query.sphere && query.sphere.length > 0 && { sphere: query.sphere }),
  ...(query.tag && query.tag.length > 0 && { tag: query.tag }),
  ...(query.pricing !== 'all' && { pricing: query.pricing }),
  ...(query.q !== undefined && { q: query.q }),
  ...(query.bbox && {
    bbox: { west: query.bbox[0], south: query.bbox[1], east: query.bbox[2], north: query.bbox[3] },
  }),
  ...(query.near && {
    near: { latitude: query.near[0], longitude: query.near[1], radiusKm: query.radius_km },
  }),
});

/** @throws 400 for a cursor of another list. */
const search = (projects: ReadCatalog, query: CatalogQuery): CatalogPage => {
  try {
    return projects.query(query);
  } catch (error) {
    if (error instanceof CursorError) throw invalidField(['cursor'], 'is not a cursor of this list');
    throw error;
  }
};

const pagingOf = (query: {
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

const copied = (facets: NonNullable<CatalogPage['facets']>) =>
  Object.fromEntries(Object.entries(facets).map(([name, counts]) => [name, (counts ?? []).map((one) => ({ ...one }))]));

/** A listing with all fields. */
const staffListing = (projects: ReadCatalog, entry: CatalogEntry): Fragment<Project> => {
  const { id, url } = entry.project;
  return editorListing(entry).with({
    possible_duplicates: projects.sameUrl(url).filter((other) => other !== id),
    rule: appliedRule(entry.project),
  });
};

const listView = (found: CatalogPage, listing: (entry: CatalogEntry) => Fragment<Project>) => ({
  data: found.entries.map(listing),
  meta: {
    total: found.total,
    page: found.page,
    pageSize: found.pageSize,
    hasMore: found.hasMore,
    nextCursor: found.nextCursor,
    ...(found.facets && { facets: copied(found.facets) }),
  },
});

/** The public list. Only administrators can choose a `status`; it is ignored for other callers. @throws 400 */
export const listProjects = (projects: ReadCatalog, caller: UserRecord | undefined, query: ListQuery) => {
  const status =
    hasAdminRights(caller) && query.status !== undefined
      ? checkedQuery(StatusParameter, { status: query.status }).status
      : 'live';
  const scope: CatalogScope = { status, deleted: 'excluded' };
  const found = search(projects, { scope, filters: filtersOf(query, 'public'), ...pagingOf(query) });
  return listView(found, (entry) =>
    hasAdminRights(caller) ? staffListing(projects, entry) : listingFor(entry, caller),
  );
};

/** The administrators' list; only the status `all` includes deleted projects. @throws 400 */
export const browseProjects = (projects: ReadCatalog, query: BrowseQuery) => {
  const scope: CatalogScope = {
    ...(query.status === 'all'
      ? { status: 'any', deleted: 'included' }
      : { status: query.status, deleted: 'excluded' }),
    ...(query.owner !== undefined && { ownerId: query.owner }),
  };
  const found = search(projects, { scope, filters: filtersOf(query, 'admin'), ...pagingOf(query) });
  return listView(found, (entry) => staffListing(projects, entry));
};

/** A user's own submissions of every status except deleted ones, newest first. */
export const listSubmissions = (projects: ReadCatalog, owner: UserRecord, query: { page: number; limit: number }) => {
  const found = projects.query({
    scope: { status: 'any', deleted: 'excluded', ownerId: owner.id },
    filters: { searchIn: 'public' },
    sort: 'newest',
    page: query.page,
    limit: query.limit,
  });
  return {
    data: found.entries.map((entry) => {
      const listing = listingFor(entry, owner);
      const position = projects.queuePosition(entry.project.id);
      return position === undefined ? listing : listing.with({ queue_position: position });
    }),
    meta: { total: found.total, page: found.page, pageSize: found.pageSize, hasMore: found.hasMore },
  };
};

/** The live projects with coordinates, newest first. */
export const mapFeed = (projects: ReadCatalog) => ({ items: projects.located(MAP_ITEMS_MAX).map(mapItem) });

const TRENDING_SHOWN = 10;

/** Updates the catalog and lists its first trending projects. Each reaction updates the order, so nothing is recalculated. */
export const refreshTrending = async () => {
  const { entries, total } = (await catalog('now')).query({
    scope: { status: 'live', deleted: 'excluded' },
    filters: { searchIn: 'public' },
    sort: 'trending',
    page: 1,
    limit: TRENDING_SHOWN,
  });
  const trending = entries.map(({ project: { id, slug, name }, counts }) => ({
    id,
    slug,
    name,
    upvote_count: counts.upvote_count,
  }));
  return { processed: total, trending, unfinished: false };
};
