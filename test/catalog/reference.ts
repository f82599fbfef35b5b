import { domainToASCII, domainToUnicode } from 'node:url';
import type {
  CatalogChange,
  CatalogEntry,
  CatalogFilters,
  CatalogPage,
  CatalogQuery,
  CategoryAlias,
  CategoryWithCount,
  FacetCount,
  FieldFacet,
} from '#catalog/types.ts';
import type { FacetName, SortOrder } from '#contract/projects.ts';
import type { CategoryRecord } from '#model/category.ts';
import { type CurrentField, type Fields, noFields } from '#model/field.ts';
import type { FieldSort } from '#model/field-filter.ts';
import { isScheduled } from '#model/policy.ts';
import type { ProjectCounts, ProjectRecord } from '#model/project.ts';
import { canonicalUrl } from '#model/url.ts';
import { plainFieldTexts, plainMatches, plainNumber, plainValue } from './field-values.ts';
import { isSameTag, plainFold } from './plain-fold.ts';
import { countedWords, type Places, relevanceOf } from './relevance.ts';

type Value = string | number;

/** A project with its searched texts. */
interface Item extends Omit<CatalogEntry, 'spheres'> {
  readonly publicTexts: readonly string[];
  readonly adminTexts: readonly string[];
}

const nothing: ProjectCounts = {
  upvote_count: 0,
  ratings_sum: 0,
  ratings_count: 0,
  comments_count: 0,
  views_count: 0,
  reports_open: 0,
  version: 0,
};

/** The host of a URL as it is written, in Punycode and in Unicode. */
const plainHosts = (url: string): string[] => {
  const written = /^https?:\/\/([^/:]+)/.exec(url)?.[1] ?? '';
  return [written, domainToASCII(written), domainToUnicode(written)];
};

const withScheme = (q: string): string => (/^https?:/i.test(q.trim()) ? q.trim() : `http://${q.trim()}`);

const withoutPrefix = (q: string): string =>
  q
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/^www\.(?=[^./?#:]+\.[^./?#:])/i, '');

/** Addresses as `FeedSimulation` writes them. */
const isAddress = (q: string): boolean =>
  [
    /^https?:\/\/[^\s/\\?#:@]+\.[^\s/\\?#:@]\S*$/i,
    /^www\.[^./?#:]+\.[^./?#:]\S*$/i,
    /^[\p{L}\d.-]+\.\p{L}+(:8080(\/\S*)?|\/\S*)$/u,
  ].some((form) => form.test(q.trim())) && URL.canParse(withScheme(q));

/** What is searched for in texts. */
const soughtText = (q: string): string => plainFold(isAddress(q) ? withoutPrefix(q).replace(/\/+$/, '') : q);

const canonicalUrls = new Map<string, string>();

/** Cached: there are few URLs and many comparisons. */
export const canonicalOnce = (url: string): string => {
  const canonical = canonicalUrls.get(url) ?? canonicalUrl(url);
  canonicalUrls.set(url, canonical);
  return canonical;
};

const hasAddress = ({ url }: ProjectRecord, q: string): boolean =>
  isAddress(q) && canonicalOnce(url) === canonicalOnce(withScheme(q));

/** Whether a search has words that count; otherwise it looks for a substring. */
const isByWords = ({ q = '', match = 'substring' }: CatalogFilters): boolean =>
  match !== 'substring' && !isAddress(q) && countedWords(plainFold(q)).length > 0;

/** The values of an order that is not that of relevance, after the group in an administrators' search. */
const plainValues = (
  sort: Exclude<CatalogQuery['sort'], 'relevance'>,
  { filters }: CatalogQuery,
  item: Omit<CatalogEntry, 'spheres'>,
): readonly [Value, 1 | -1][] => {
  const q = soughtText(filters.q ?? '');
  const values = typeof sort === 'string' ? sortValues(sort, item) : fieldSortValues(sort, item.project);
  if (filters.searchIn === 'public' || q.trim() === '' || isByWords(filters)) return values;
  const { name, url } = item.project;
  const contains = [name, url, ...plainHosts(url)].some((text) => plainFold(text).includes(q));
  const isFirst = contains || hasAddress(item.project, filters.q ?? '');
  return [[isFirst ? 0 : 1, 1], ...values];
};

const fieldSortValues = ({ field, descending }: FieldSort, project: ProjectRecord): [Value, 1 | -1][] => {
  const value = plainValue(field, project);
  const direction = descending ? -1 : 1;
  return [
    [value === undefined ? 1 : 0, 1],
    [value === undefined ? 0 : plainNumber(value), direction],
    [project.id, direction],
  ];
};

/** The values by which a sort order compares, most important first, each with the sign of its direction. */
const sortValues = (
  sort: Exclude<SortOrder, 'relevance'>,
  { project, counts }: Omit<CatalogEntry, 'spheres'>,
): readonly [Value, 1 | -1][] => {
  const published = project.published_at ?? project.created_at;
  const average = counts.ratings_count === 0 ? 0 : Math.round((100 * counts.ratings_sum) / counts.ratings_count) / 100;
  const reactions = counts.upvote_count + 3 * counts.comments_count + 2 * counts.ratings_count;
  const hot = Math.log10(Math.max(reactions, 1)) + Date.parse(published) / 3_600_000 / 12.5;
  switch (sort) {
    case 'newest':
      return [
        [published, -1],
        [project.created_at, -1],
        [project.id, -1],
      ];
    case 'oldest':
      return [
        [published, 1],
        [project.created_at, 1],
        [project.id, 1],
      ];
    case 'upvotes':
      return [
        [counts.upvote_count, -1],
        [project.id, -1],
      ];
    case 'rating':
      return [
        [average, -1],
        [counts.ratings_count, -1],
        [project.id, -1],
      ];
    case 'weighted_rating':
      return [
        [(15 + counts.ratings_sum) / (5 + counts.ratings_count), -1],
        [project.id, -1],
      ];
    case 'views':
      return [
        [counts.views_count, -1],
        [project.id, -1],
      ];
    case 'name':
      return [
        [plainFold(project.name), 1],
        [project.id, 1],
      ];
    case 'name_desc':
      return [
        [plainFold(project.name), -1],
        [project.id, -1],
      ];
    case 'trending':
      return [
        [hot, -1],
        [project.id, -1],
      ];
  }
};

const compareValues = (a: readonly [Value, 1 | -1][], b: readonly [Value, 1 | -1][]): number => {
  for (const [i, [value, direction]] of a.entries()) {
    const other = b[i]?.[0] as Value;
    if (value !== other) return value < other ? -direction : direction;
  }
  return 0;
};

const degrees = Math.PI / 180;

/** Kilometres between two locations, by the haversine formula. */
const distance = (lat1: number, lon1: number, lat2: number, lon2: number): number => {
  const h =
    Math.sin(((lat2 - lat1) * degrees) / 2) ** 2 +
    Math.cos(lat1 * degrees) * Math.cos(lat2 * degrees) * Math.sin(((lon2 - lon1) * degrees) / 2) ** 2;
  return 2 * 6371.0088 * Math.asin(Math.min(1, Math.sqrt(h)));
};

/** A catalog implemented as plainly as possible: every query filters and sorts all projects. */
export class Reference {
  version = 0;
  fields = noFields;
  readonly projects = new Map<string, ProjectRecord>();
  readonly counters = new Map<string, ProjectCounts>();
  readonly categoryRecords = new Map<string, CategoryRecord>();
  /** By id of a project or category, the version up to which it is removed. */
  readonly removed = new Map<string, number>();
  /** By id of a merged category, what it left. */
  readonly aliases = new Map<string, CategoryAlias>();
  readonly #items = new Map<string, Item>();
  /** If several categories have a slug, the one with the greatest id determines it. */
  #sphereOfSlug = new Map<string, string | null>();
  #nameOfSlug = new Map<string, string>();

  useFields(fields: Fields): void {
    if (fields !== this.fields) this.version += 1;
    this.fields = fields;
  }

  apply(changes: Iterable<CatalogChange>): void {
    for (const change of changes) this.#applyOne(change);
  }

  #applyOne(change: CatalogChange): void {
    switch (change.kind) {
      case 'project': {
        const { project } = change;
        const known = this.projects.get(project.id);
        if (known !== undefined && project.version <= known.version) return;
        if (project.version <= (this.removed.get(project.id) ?? -1)) return;
        this.removed.delete(project.id);
        this.projects.set(project.id, project);
        this.#refresh(project.id);
        break;
      }
      case 'counts': {
        const known = this.counters.get(change.projectId);
        if (change.counts.version <= (this.removed.get(change.projectId) ?? -1)) return;
        if (known !== undefined && change.counts.version <= known.version) return;
        this.counters.set(change.projectId, change.counts);
        if (!this.projects.has(change.projectId)) return;
        this.#refresh(change.projectId);
        break;
      }
      case 'projectRemoved': {
        const { projectId: id, version = Number.POSITIVE_INFINITY } = change;
        const known = this.projects.get(id);
        if (known !== undefined && known.version > version) return;
        if (version > (this.removed.get(id) ?? -1)) this.removed.set(id, version);
        if ((this.counters.get(id)?.version ?? 0) <= version) this.counters.delete(id);
        this.#items.delete(id);
        if (!this.projects.delete(id)) return;
        break;
      }
      case 'category': {
        const { category } = change;
        const known = this.categoryRecords.get(category.id);
        if ((this.removed.get(category.id) ?? -1) >= category.version) return;
        if (known !== undefined && category.version <= known.version) return;
        this.categoryRecords.set(category.id, category);
        this.aliases.delete(category.id);
        break;
      }
      case 'categoryRemoved': {
        const { categoryId, version = Number.POSITIVE_INFINITY, alias } = change;
        if ((this.categoryRecords.get(categoryId)?.version ?? -1) > version) return;
        const known = this.removed.get(categoryId) ?? Number.NEGATIVE_INFINITY;
        const [isNew, hadAlias] = [version > known, this.aliases.has(categoryId)];
        if (isNew) {
          this.removed.set(categoryId, version);
          this.aliases.delete(categoryId);
          if (alias) this.aliases.set(categoryId, alias);
        }
        if (!this.categoryRecords.delete(categoryId) && !(isNew && (alias || hadAlias))) return;
        break;
      }
    }
    this.version += 1;
    const records = [...this.categoryRecords.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    this.#sphereOfSlug = new Map(records.map(({ slug, sphere }) => [slug, sphere]));
    this.#nameOfSlug = new Map(records.map(({ slug, name }) => [slug, name]));
  }

  #refresh(id: string): void {
    const project = this.projects.get(id) as ProjectRecord;
    const hosts = plainHosts(project.url);
    this.#items.set(id, {
      project,
      counts: this.counters.get(id) ?? nothing,
      fields: noFields,
      publicTexts: [project.name, project.description, ...hosts, ...project.tags].map(plainFold),
      adminTexts: [project.name, project.url, ...hosts, project.description, ...project.tags].map(plainFold),
    });
  }

  /** The slug that a slug stands for after merges. */
  currentSlug(slug: string): string {
    if (this.#sphereOfSlug.has(slug)) return slug;
    const ids = [...this.aliases.keys()].filter((id) => this.aliases.get(id)?.slug === slug).sort();
    let next = this.aliases.get(ids.at(-1) ?? '')?.into;
    for (let steps = 0; next !== undefined && steps < 100; steps += 1) {
      const found = this.categoryRecords.get(next);
      if (found) return found.slug;
      next = this.aliases.get(next)?.into;
    }
    return slug;
  }

  entries(): Item[] {
    return [...this.#items.values()];
  }

  spheres(project: ProjectRecord): string[] {
    const spheres = project.categories.map((slug) => this.#sphereOfSlug.get(slug) ?? null);
    return [...new Set(spheres.filter((sphere) => sphere !== null))];
  }

  entry({ project, counts }: Omit<CatalogEntry, 'spheres' | 'fields'>): CatalogEntry {
    return { project, counts, spheres: this.spheres(project), fields: this.fields };
  }

  /** @param after in place of a cursor: the values of its item. */
  query(query: CatalogQuery, after?: readonly [Value, 1 | -1][]): Omit<CatalogPage, 'nextCursor'> {
    const sorted = this.#matching(query, this.#leastWords(query))
      .map((item) => ({ item, values: this.values(query, item) }))
      .sort((a, b) => compareValues(a.values, b.values));
    const start = after
      ? sorted.filter(({ values }) => compareValues(values, after) <= 0).length
      : (query.page - 1) * query.limit;
    return {
      entries: sorted.slice(start, start + query.limit).map(({ item }) => this.entry(item)),
      total: sorted.length,
      page: Math.floor(start / query.limit) + 1,
      pageSize: query.limit,
      hasMore: start + query.limit < sorted.length,
      ...(query.fieldFacets && {
        fieldFacets: new Map(query.fieldFacets.map((field) => [field.id, this.#fieldFacet(query, field)])),
      }),
      ...(query.facets && { facets: Object.fromEntries(query.facets.map((name) => [name, this.#facet(query, name)])) }),
    };
  }

  /** The values by which a list compares. */
  values(query: CatalogQuery, item: Omit<CatalogEntry, 'spheres'>): readonly [Value, 1 | -1][] {
    const { sort, filters } = query;
    if (sort !== 'relevance') return plainValues(sort, query, item);
    if (plainFold(filters.q ?? '').trim() === '') return plainValues('newest', query, item);
    return [...this.#relevance(filters, item.project), [item.counts.upvote_count, -1], [item.project.id, -1]];
  }

  #relevance(filters: CatalogFilters, project: ProjectRecord): [number, 1 | -1][] {
    const { q = '', match = 'substring', searchIn, longDescriptions } = filters;
    const addresses = plainHosts(project.url);
    if (searchIn === 'admin' && !isByWords(filters)) addresses.push(project.url);
    const names = isByWords(filters) ? project.categories.flatMap((slug) => this.#nameOfSlug.get(slug) ?? []) : [];
    const places: Places = [
      [project.name],
      [project.description],
      [...addresses, ...project.tags, ...names],
      isByWords(filters) ? plainFieldTexts(this.fields, project) : [],
      longDescriptions === true && isByWords(filters) ? [project.long_description ?? ''] : [],
    ];
    const folded = places.map((texts) => texts.map(plainFold));
    if (!isAddress(q)) return relevanceOf(plainFold(q), match, folded);
    const [, , ...others] = relevanceOf(soughtText(q), 'substring', folded);
    return [[1, -1], [Number(hasAddress(project, q)), -1], ...others];
  }

  /** How many words of its search a listing needs; undefined for other searches. */
  #leastWords(query: CatalogQuery): number | undefined {
    if (!isByWords(query.filters)) return undefined;
    const words = countedWords(plainFold(query.filters.q ?? '')).length;
    const half = Math.ceil(words / 2);
    return this.#matching(query, words).length > 0 || this.#matching(query, half).length === 0 ? words : half;
  }

  /** @param least the words that a listing needs. */
  #matching({ scope, filters }: CatalogQuery, least: number | undefined): Item[] {
    const q = soughtText(filters.q ?? '');
    return this.entries().filter((item) => {
      const { project } = item;
      if (scope.status !== 'any' && project.status !== scope.status) return false;
      if (scope.deleted !== 'included' && (project.deleted_at !== null) !== (scope.deleted === 'only')) return false;
      if (scope.scheduled !== undefined && isScheduled(project) !== scope.scheduled) return false;
      if (scope.ownerId !== undefined && project.owner_id !== scope.ownerId) return false;
      if (filters.pricing !== undefined && project.pricing_type !== filters.pricing) return false;
      const categories = filters.category?.map((slug) => this.currentSlug(slug)) ?? [];
      if (categories.length > 0 && !categories.some((slug) => project.categories.includes(slug))) return false;
      if (filters.tag?.length && !filters.tag.some((tag) => project.tags.some((one) => isSameTag(one, tag))))
        return false;
      if (filters.sphere?.length) {
        const spheres = this.spheres(project);
        if (!filters.sphere.some((sphere) => spheres.includes(sphere))) return false;
      }
      if (filters.fields?.some(({ field, condition }) => !plainMatches(field, condition, project))) return false;
      if (least !== undefined) {
        if ((this.#relevance(filters, project)[0]?.[0] ?? 0) < least) return false;
      } else if (q.trim() !== '') {
        const texts = filters.searchIn === 'public' ? item.publicTexts : item.adminTexts;
        if (!texts.some((text) => text.includes(q)) && !hasAddress(project, filters.q ?? '')) return false;
      }
      if (filters.bbox || filters.near) {
        const { latitude, longitude } = project;
        if (latitude === null || longitude === null) return false;
        if (filters.bbox) {
          const { west, south, east, north } = filters.bbox;
          if (latitude < south || latitude > north) return false;
          const within = (meridian: number): boolean =>
            west <= east ? west <= meridian && meridian <= east : meridian >= west || meridian <= east;
          // The meridians 180 and -180 are one.
          if (!within(longitude) && !(Math.abs(longitude) === 180 && within(-longitude))) return false;
        }
        if (filters.near) {
          const { near } = filters;
          if (distance(near.latitude, near.longitude, latitude, longitude) > near.radiusKm) return false;
        }
      }
      return true;
    });
  }

  #fieldFacet(query: CatalogQuery, field: CurrentField): FieldFacet {
    const others = query.filters.fields?.filter((filter) => filter.field !== field) ?? [];
    const filters = { ...query.filters, fields: others };
    const counts = new Map<string, number>();
    const numbers: number[] = [];
    const { type } = field;
    for (const { project } of this.#matching({ ...query, filters }, this.#leastWords(query))) {
      const value = plainValue(field, project);
      if (value === undefined) continue;
      if (type === 'number' || type === 'date' || type === 'boolean') numbers.push(plainNumber(value));
      const choices = type === 'text' ? [plainFold(String(value))] : [value].flat().map(String);
      if (['text', 'boolean', 'select', 'multi_select'].includes(type)) {
        for (const choice of choices) counts.set(choice, (counts.get(choice) ?? 0) + 1);
      }
    }
    return {
      counts: Array.from(counts, ([value, count]) => ({ value, count })).sort(
        (a, b) => b.count - a.count || (a.value < b.value ? -1 : 1),
      ),
      range: numbers.length === 0 ? undefined : { min: Math.min(...numbers), max: Math.max(...numbers) },
    };
  }

  #facet(query: CatalogQuery, name: FacetName): FacetCount[] {
    const { [name as 'category']: _, ...filters } = query.filters;
    const counts: Record<string, number> = Object.create(null);
    const scope = name === 'status' ? { ...query.scope, status: 'any' as const } : query.scope;
    for (const { project } of this.#matching({ ...query, scope, filters }, this.#leastWords(query))) {
      const values = {
        category: project.categories,
        sphere: this.spheres(project),
        pricing: [project.pricing_type],
        status: [project.status],
        tag: project.tags,
      }[name];
      for (const value of new Set(values)) counts[value] = (counts[value] ?? 0) + 1;
    }
    const sorted = (all: FacetCount[]) => all.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
    const facet = sorted(Object.entries(counts).map(([value, count]) => ({ value, count })));
    if (name !== 'tag') return facet;
    const merged: FacetCount[] = [];
    for (const { value, count } of facet) {
      const at = merged.findIndex((one) => isSameTag(one.value, value));
      const known = merged[at];
      if (known) merged[at] = { ...known, count: known.count + count };
      else merged.push({ value, count });
    }
    return sorted(merged).slice(0, 100);
  }

  located(max: number): CatalogEntry[] {
    const whole = { west: -180, south: -90, east: 180, north: 90 };
    return [
      ...this.query({
        scope: { status: 'live', deleted: 'excluded' },
        filters: { searchIn: 'public', bbox: whole },
        sort: 'newest',
        page: 1,
        limit: max,
      }).entries,
    ];
  }

  categories(): CategoryWithCount[] {
    return [...this.categoryRecords.values()]
      .map((category) => ({ category, name: plainFold(category.name) }))
      .sort((a, b) =>
        compareValues(
          [
            [a.category.sort_order, 1],
            [a.name, 1],
            [a.category.id, 1],
          ],
          [
            [b.category.sort_order, 1],
            [b.name, 1],
            [b.category.id, 1],
          ],
        ),
      )
      .map(({ category }) => ({
        category,
        projectCount: this.entries().filter(
          ({ project }) =>
            project.status === 'live' && project.deleted_at === null && project.categories.includes(category.slug),
        ).length,
      }));
  }

  /** All projects, oldest first by creation. */
  all(): CatalogEntry[] {
    return this.entries()
      .sort((a, b) =>
        compareValues(
          [
            [a.project.created_at, 1],
            [a.project.id, 1],
          ],
          [
            [b.project.created_at, 1],
            [b.project.id, 1],
          ],
        ),
      )
      .map((item) => this.entry(item));
  }

  queuePosition(id: string): number | undefined {
    const queue = this.all().filter(
      ({ project }) => project.status === 'pending' && project.deleted_at === null && !isScheduled(project),
    );
    const index = queue.findIndex(({ project }) => project.id === id);
    return index < 0 ? undefined : index + 1;
  }
}
