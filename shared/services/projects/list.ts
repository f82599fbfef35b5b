import * as z from 'zod';
import {
  type CatalogEntry,
  type CatalogFilters,
  type CatalogPage,
  type CatalogQuery,
  type CatalogScope,
  type Cluster,
  CursorError,
  type RankingCriteria,
  type ReadCatalog,
  type SearchDescription,
} from '#catalog/types.ts';
import type { FacetField, FieldOrder } from '#contract/custom-fields.ts';
import { checkedQuery } from '#contract/fields.ts';
import {
  type browse,
  DUPLICATES_MAX,
  type FacetName,
  type list,
  MAP_FEATURES_MAX,
  MAP_ITEMS_MAX,
  type MapClusters,
  type MatchKind,
  type map,
  type Project,
  type RankingExplanation,
  relevanceCriteria,
  type SortOrder,
  Status,
} from '#contract/projects.ts';
import { catalog, catalogToSearch } from '#data/catalog.ts';
import type { Caller } from '#model/api-key.ts';
import { type CurrentField, type Fields, hasOptions, type Reader } from '#model/field.ts';
import { dayOfNumber, facetName, fieldFacets, fieldFilters, fieldSort, keyOfSort } from '#model/field-filter.ts';
import type { Fragment } from '#model/fragment.ts';
import { hasAdminRights } from '#model/policy.ts';
import { appliedRule } from '#model/project.ts';
import { firstFitting, fitsInResponse, RESPONSE_BYTES_MAX } from '#model/response-size.ts';
import { trendingParts, trendingScore, weightedScore } from '#model/scores.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { invalidField } from '#shared/errors.ts';
import { listingFor, mapItem, staffListing } from './fragments.ts';
import { mapItemView, publicView, readerOf } from './read.ts';
import { fittingFragments } from './short-listings.ts';

type ListQuery = z.output<typeof list.query>;
type BrowseQuery = z.output<typeof browse.query>;
type CommonQuery = Omit<ListQuery, 'status' | 'facets'>;
type MapQuery = z.output<typeof map.query>;

const StatusParameter = z.object({ status: Status });

/** As whom the values of fields are filtered, sorted and counted. */
interface FieldReader {
  readonly fields: Fields;
  readonly reader: Reader;
}

const boxOf = ([west, south, east, north]: NonNullable<MapQuery['bbox']>) => ({ west, south, east, north });

/** The filters that lists and map share. @throws 400 on a filter of a field. */
const filtersOf = (
  query: Omit<MapQuery, 'zoom'>,
  searchIn: CatalogFilters['searchIn'],
  { fields, reader }: FieldReader,
): CatalogFilters => ({
  searchIn,
  ...(query.filter && { fields: fieldFilters(fields, reader, query.filter, Date.parse(now())) }),
  ...(query.category && query.category.length > 0 && { category: query.category }),
  ...(query.sphere && query.sphere.length > 0 && { sphere: query.sphere }),
  ...(query.tag && query.tag.length > 0 && { tag: query.tag }),
  ...(query.pricing !== 'all' && { pricing: query.pricing }),
  ...(query.q !== undefined && { q: query.q }),
  ...(query.match && { match: query.match }),
  longDescriptions: environment().searchLongDescriptions,
  ...(query.bbox && { bbox: boxOf(query.bbox) }),
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

type Described = Partial<Pick<CommonQuery, 'match' | 'highlight' | 'sort'>>;

/** Whether a query asks how its `q` was searched. */
const describes = ({ match, highlight, sort }: Described): boolean =>
  match !== undefined || highlight !== undefined || sort === 'relevance';

const isOwnFacet = (name: FacetName | FacetField): name is FacetName => keyOfSort(name) === undefined;

/** @throws 400 on `sort` or `facets` for a field that is not one, or that the reader may not see. */
const pagingOf = (
  query: {
    sort: SortOrder | FieldOrder;
    match?: MatchKind | undefined;
    highlight?: boolean | undefined;
    page: number;
    limit: number;
    cursor?: string | undefined;
    facets?: (FacetName | FacetField)[] | undefined;
  },
  { fields, reader }: FieldReader,
) => {
  const facets = query.facets?.filter(isOwnFacet) ?? [];
  const ofFields = fieldFacets(fields, reader, query.facets);
  return {
    sort: fieldSort(fields, reader, query.sort) ?? (query.sort as SortOrder),
    page: query.page,
    limit: query.limit,
    ...(query.cursor !== undefined && { cursor: query.cursor }),
    ...(facets.length > 0 && { facets }),
    ...(ofFields.length > 0 && { fieldFacets: ofFields }),
    ...(describes(query) && { describe: query.highlight === true ? ('all' as const) : ('search' as const) }),
  };
};

const copied = (facets: NonNullable<CatalogPage['facets']>) =>
  Object.fromEntries(Object.entries(facets).map(([name, counts]) => [name, (counts ?? []).map((one) => ({ ...one }))]));

const isCounted = ({ type }: CurrentField): boolean => hasOptions(type) || type === 'boolean';

const rangeView = ({ type }: CurrentField, range: { readonly min: number; readonly max: number } | undefined) => {
  if (!range) return { min: null, max: null };
  return type === 'date' ? { min: dayOfNumber(range.min), max: dayOfNumber(range.max) } : { ...range };
};

/** The facets of a page by name, and the ranges of its fields. */
const facetsView = ({ facets, fieldFacets: found }: CatalogPage, fields: Fields) => {
  const counts = facets ? copied(facets) : {};
  const ranges: Record<string, ReturnType<typeof rangeView>> = {};
  for (const [id, facet] of found ?? []) {
    const field = fields.withId(id);
    if (!field) continue;
    if (isCounted(field)) counts[facetName(field)] = facet.counts.map((one) => ({ ...one }));
    else ranges[facetName(field)] = rangeView(field, facet.range);
  }
  return {
    ...((facets ?? Object.keys(counts).length > 0) && { facets: counts }),
    ...(Object.keys(ranges).length > 0 && { ranges }),
  };
};

/** A listing with all fields. */
const administratorsListing = (projects: ReadCatalog, entry: CatalogEntry): Fragment<Project> => {
  const { id, url } = entry.project;
  return staffListing(entry).with({
    possible_duplicates: projects
      .sameUrl(url, { max: DUPLICATES_MAX + 1 })
      .filter((other) => other !== id)
      .slice(0, DUPLICATES_MAX),
    rule: appliedRule(entry.project),
  });
};

const searchView = ({ didYouMean, words, highlights, ...others }: SearchDescription) => ({
  ...others,
  words: [...words],
  did_you_mean: didYouMean,
  ...(highlights && { highlights }),
});

const listView = <Listing>(found: CatalogPage, fields: Fields, listings: Listing[]) => ({
  data: listings,
  meta: {
    total: found.total,
    page: found.page,
    pageSize: found.pageSize,
    hasMore: found.hasMore,
    nextCursor: found.nextCursor,
    ...facetsView(found, fields),
    ...(found.search && { search: searchView(found.search) }),
  },
});

interface FieldQuery {
  readonly filter?: Readonly<Record<string, string>> | undefined;
  readonly facets?: readonly string[] | undefined;
}

/** The keys of the fields that a query names. */
const fieldKeys = ({ filter = {}, facets = [], sort = 'newest' }: FieldQuery & Pick<Described, 'sort'>): string[] => [
  ...Object.keys(filter),
  ...[...facets, sort].flatMap((name) => keyOfSort(name) ?? []),
];

const catalogFor = (query: Pick<CommonQuery, 'q'> & Described & FieldQuery, searchIn: 'public' | 'admin') =>
  catalogToSearch({
    q: query.q,
    searchIn,
    needsWords: describes(query),
    longDescriptions: environment().searchLongDescriptions,
    fieldKeys: fieldKeys(query),
  });

const publicReader = ({ fields }: ReadCatalog): FieldReader => ({ fields, reader: 'public' });

/** What a cached response to a query depends on: with filters by opening hours also the time. */
const cacheKey = <Query extends FieldQuery>(query: Query) => {
  const isNow = Object.values(query.filter ?? {}).some((value) => value.trim() === 'open');
  return isNow ? { ...query, minute: now().slice(0, 16) } : query;
};

/** The public list. Only administrators can choose a `status`; it is ignored for other callers. @throws 400 */
export const listProjects = (projects: ReadCatalog, caller: Caller | undefined, query: ListQuery) => {
  const status =
    hasAdminRights(caller) && query.status !== undefined
      ? checkedQuery(StatusParameter, { status: query.status }).status
      : 'live';
  const scope: CatalogScope = { status, deleted: 'excluded' };
  const { fields } = projects;
  // As of a listing of another user.
  const as: FieldReader = { fields, reader: readerOf({ owner_id: '' }, caller) };
  const found = search(projects, { scope, filters: filtersOf(query, 'public', as), ...pagingOf(query, as) });
  const listings = found.entries.map((entry) =>
    hasAdminRights(caller) ? administratorsListing(projects, entry) : listingFor(entry, caller),
  );
  return listView(found, fields, fittingFragments(listings));
};

/** The public list of this process's catalog. @throws 400 from `body`. */
export const publicPage = async (query: ListQuery, caller: Caller | undefined) => {
  const current = await catalogFor(query, 'public');
  return { catalog: current, key: cacheKey(query), body: () => listProjects(current, caller, query) };
};

const relevanceOf = (criteria: RankingCriteria, upvotes: number): RankingExplanation => {
  const { matched, equalsName, typos, inName, wholeInName, further, pairs } = criteria;
  const places = further.flatMap(({ any, whole }) => [any, whole]);
  const values = [matched, Number(equalsName), typos, inName, wholeInName, ...places, pairs, upvotes];
  return { criteria: relevanceCriteria.map((name, position) => ({ name, value: values[position] ?? 0 })) };
};

/** The explanation of the order, when it is one that is computed. */
const rankingOf = (sort: SortOrder | FieldOrder, { entries, criteria }: CatalogPage) => {
  const explain = ({ project, counts }: CatalogEntry): RankingExplanation | undefined => {
    const { upvote_count: upvotes, comments_count: comments, ratings_count: ratings, ratings_sum } = counts;
    if (sort === 'weighted_rating') return { ratings_sum, ratings, score: weightedScore(counts) };
    if (sort === 'trending') {
      const score = trendingScore(project, counts);
      return { upvotes, comments, ratings, ...trendingParts(project, counts), score };
    }
    const relevance = criteria?.get(project.id);
    return relevance && relevanceOf(relevance, upvotes);
  };
  const explained = entries.flatMap((entry): [string, RankingExplanation][] => {
    const explanation = explain(entry);
    return explanation ? [[entry.project.id, explanation]] : [];
  });
  const isComputed = sort === 'weighted_rating' || sort === 'trending' || criteria !== undefined;
  return isComputed ? { ranking: Object.fromEntries(explained) } : {};
};

/** The filters that lists, map and feeds share. */
export type FilterQuery = Omit<MapQuery, 'zoom'>;

/**
 * A page of the live listings of this process's catalog, for everybody.
 * @param ids only these listings.
 * @throws 400 for a cursor of another list.
 */
export const publicListings = async (
  query: FilterQuery & Pick<CommonQuery, 'sort' | 'page' | 'limit' | 'cursor'>,
  ids?: readonly string[],
) => {
  const current = await catalogFor(query, 'public');
  const scope: CatalogScope = { status: 'live', deleted: 'excluded', ...(ids && { ids }) };
  const as = publicReader(current);
  const found = search(current, { scope, filters: filtersOf(query, 'public', as), ...pagingOf(query, as) });
  return { catalog: current, found };
};

/** This process's catalog, in which filters are valid for everybody. @throws 400 on a filter of a field. */
export const catalogOfFilters = async (query: FilterQuery): Promise<ReadCatalog> => {
  const current = await catalogFor(query, 'public');
  filtersOf(query, 'public', publicReader(current));
  return current;
};

/** Changes with everything that lists, categories and filters of fields depend on, but the time and the settings. */
export const listedVersion = async (): Promise<number> => (await catalog()).version;

/** The public list with facets as values, which pages show. @throws 400 */
export const readListings = async (query: ListQuery) => {
  const { catalog: current, found } = await publicListings(query);
  return listView(found, current.fields, found.entries.map(publicView));
};

/**
 * The public list among some listings, with facets as values.
 * @param isInOrder whether they stand in their own order, instead of that of the query.
 * @throws 400
 */
export const readListingsAmong = async (query: ListQuery, ids: readonly string[], isInOrder: boolean) => {
  if (!isInOrder) {
    const { catalog: current, found } = await publicListings(query, ids);
    return listView(found, current.fields, found.entries.map(publicView));
  }
  const { catalog: current, found } = await publicListings({ ...query, page: 1, limit: Math.max(1, ids.length) }, ids);
  const byId = new Map(found.entries.map((entry) => [entry.project.id, entry]));
  const from = (query.page - 1) * query.limit;
  const until = from + query.limit;
  const entries = ids.flatMap((id) => byId.get(id) ?? []).slice(from, until);
  const page = { page: query.page, pageSize: query.limit, hasMore: until < found.total, nextCursor: null };
  return listView({ ...found, ...page }, current.fields, entries.map(publicView));
};

/** Which projects an administrator asks for by their status. */
const scopeOf = (status: BrowseQuery['status']): CatalogScope => {
  if (status === 'all') return { status: 'any', deleted: 'included' };
  if (status === 'deleted') return { status: 'any', deleted: 'only' };
  return { status, deleted: 'excluded' };
};

/** The administrators' list; only the statuses `all` and `deleted` include deleted projects. @throws 400 */
export const browseProjects = (projects: ReadCatalog, query: BrowseQuery) => {
  const scope: CatalogScope = {
    ...scopeOf(query.status),
    ...(query.owner !== undefined && { ownerId: query.owner }),
    ...(query.scheduled !== undefined && { scheduled: query.scheduled }),
  };
  const explain = query.explain === true;
  const as: FieldReader = { fields: projects.fields, reader: 'staff' };
  const found = search(projects, { scope, filters: filtersOf(query, 'admin', as), ...pagingOf(query, as), explain });
  const listings = found.entries.map((entry) => administratorsListing(projects, entry));
  const { data, meta } = listView(found, as.fields, fittingFragments(listings));
  return { data, meta: { ...meta, ...(explain && rankingOf(query.sort, found)) } };
};

/** The administrators' list of this process's catalog. @throws 400 */
export const staffPage = async (query: BrowseQuery) => browseProjects(await catalogFor(query, 'admin'), query);

/** A user's own submissions of every status except deleted ones, newest first. */
export const listSubmissions = (projects: ReadCatalog, owner: UserRecord, query: { page: number; limit: number }) => {
  const found = projects.query({
    scope: { status: 'any', deleted: 'excluded', ownerId: owner.id },
    filters: { searchIn: 'public' },
    sort: 'newest',
    page: query.page,
    limit: query.limit,
  });
  const listings = found.entries.map((entry) => {
    const listing = listingFor(entry, owner);
    const position = projects.queuePosition(entry.project.id);
    return position === undefined ? listing : listing.with({ queue_position: position });
  });
  return {
    data: fittingFragments(listings),
    meta: { total: found.total, page: found.page, pageSize: found.pageSize, hasMore: found.hasMore },
  };
};

/** A page of a user's own submissions from this process's catalog. */
export const submissionsPage = async (owner: UserRecord, query: { page: number; limit: number }) =>
  listSubmissions(await catalog(), owner, query);

/** Of the listings of a map, in bytes of the response: what else it has takes less than the rest. */
const MAP_BYTES_MAX = RESPONSE_BYTES_MAX - 1000;

/** The live projects with coordinates, newest first, as many as one response holds. */
export const mapFeed = (projects: ReadCatalog) => ({
  items: firstFitting(projects.located(MAP_ITEMS_MAX).map(mapItem), MAP_BYTES_MAX, ({ text }) => text),
});

type Feature = MapClusters['features'][number];

const featureOf = ({ id, count, bbox, longitude, latitude, expansionZoom, entry }: Cluster): Feature => {
  const geometry = { type: 'Point' as const, coordinates: [longitude, latitude] as [number, number] };
  if (entry) {
    const { id: projectId, ...item } = mapItemView(entry);
    return { type: 'Feature', id: projectId, geometry, properties: { cluster: false, ...item } };
  }
  const properties = { cluster: true as const, count, expansion_zoom: expansionZoom };
  return { type: 'Feature', id, bbox: [...bbox], geometry, properties };
};

/** Without logos, as many features as there may be fit into one response, whatever their texts are. */
const withoutLogo = (feature: Feature): Feature =>
  'bbox' in feature ? feature : { ...feature, properties: { ...feature.properties, logo_url: null } };

const mapClusters = (
  projects: ReadCatalog,
  query: MapQuery,
  bbox: NonNullable<MapQuery['bbox']>,
  requestedZoom: number,
): MapClusters => {
  const filters = { ...filtersOf(query, 'public', publicReader(projects)), bbox: boxOf(bbox) };
  const { total, zoom, clusters } = projects.clusters({ filters, zoom: requestedZoom, max: MAP_FEATURES_MAX });
  const features = clusters.map(featureOf);
  const isLarge = !fitsInResponse(JSON.stringify(features), MAP_BYTES_MAX);
  return {
    type: 'FeatureCollection',
    features: isLarge ? features.map(withoutLogo) : features,
    meta: { total, zoom },
  };
};

/** The map feed of this process's catalog, or with a box and a zoom its clusters. */
export const mapPage = async (query: MapQuery) => {
  const { bbox, zoom } = query;
  if (!bbox || zoom === undefined) {
    const current = await catalog();
    // The feed has no filters, but wrong ones are rejected as elsewhere.
    filtersOf(query, 'public', publicReader(current));
    return { catalog: current, key: undefined, body: () => mapFeed(current) };
  }
  const current = await catalogFor(query, 'public');
  return { catalog: current, key: cacheKey(query), body: () => mapClusters(current, query, bbox, zoom) };
};

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
