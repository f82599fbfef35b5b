import type {
  CatalogChange,
  CatalogEntry,
  CatalogPage,
  CatalogQuery,
  CategoryAlias,
  CategoryWithCount,
  FacetCount,
} from '#catalog/types.ts';
import type { FacetName, SortOrder } from '#contract/projects.ts';
import type { CategoryRecord } from '#model/category.ts';
import type { ProjectCounts, ProjectRecord } from '#model/project.ts';

type Value = string | number;

/** A project with its searched texts. */
interface Item extends Omit<CatalogEntry, 'spheres'> {
  readonly publicTexts: readonly string[];
  readonly adminTexts: readonly string[];
}

/** Folds only the characters that `FeedSimulation` writes. */
const plainFold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l')
    .replaceAll('æ', 'ae');

const nothing: ProjectCounts = {
  upvote_count: 0,
  ratings_sum: 0,
  ratings_count: 0,
  comments_count: 0,
  views_count: 0,
  reports_open: 0,
  version: 0,
};

/** The values by which a list compares: those of its sort order, after the group in an administrators' search. */
export const listValues = (
  { sort, filters }: CatalogQuery,
  item: Omit<CatalogEntry, 'spheres'>,
): readonly [Value, 1 | -1][] => {
  const q = plainFold(filters.q ?? '');
  if (filters.searchIn === 'public' || q.trim() === '') return sortValues(sort, item);
  const isFirst = [item.project.name, item.project.url].some((text) => plainFold(text).includes(q));
  return [[isFirst ? 0 : 1, 1], ...sortValues(sort, item)];
};

/** The values by which a sort order compares, most important first, each with the sign of its direction. */
const sortValues = (
  sort: SortOrder,
  { project, counts }: Omit<CatalogEntry, 'spheres'>,
): readonly [Value, 1 | -1][] => {
  const published = project.published_at ?? project.created_at;
  const average = counts.ratings_count === 0 ? 0 : Math.round((100 * counts.ratings_sum) / counts.ratings_count) / 100;
  const reactions = counts.upvote_count + 3 * counts.comments_count + 2 * counts.ratings_count;
  const hot = Math.log10(Math.max(reactions, 1)) + Date.parse(published) / 1000 / 45000;
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
  }

  #refresh(id: string): void {
    const project = this.projects.get(id) as ProjectRecord;
    const host = new URL(project.url).hostname;
    this.#items.set(id, {
      project,
      counts: this.counters.get(id) ?? nothing,
      publicTexts: [project.name, project.description, host, ...project.tags].map(plainFold),
      adminTexts: [project.name, project.url, project.description, ...project.tags].map(plainFold),
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

  entry({ project, counts }: Omit<CatalogEntry, 'spheres'>): CatalogEntry {
    return { project, counts, spheres: this.spheres(project) };
  }

  /** @param after in place of a cursor: the values of its item. */
  query(query: CatalogQuery, after?: readonly [Value, 1 | -1][]): Omit<CatalogPage, 'nextCursor'> {
    const sorted = this.#matching(query)
      .map((item) => ({ item, values: listValues(query, item) }))
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
      ...(query.facets && { facets: Object.fromEntries(query.facets.map((name) => [name, this.#facet(query, name)])) }),
    };
  }

  #matching({ scope, filters }: CatalogQuery): Item[] {
    const q = plainFold(filters.q ?? '');
    return this.entries().filter((item) => {
      const { project } = item;
      if (scope.status !== 'any' && project.status !== scope.status) return false;
      if (scope.deleted === 'excluded' && project.deleted_at !== null) return false;
      if (scope.ownerId !== undefined && project.owner_id !== scope.ownerId) return false;
      if (filters.pricing !== undefined && project.pricing_type !== filters.pricing) return false;
      const categories = filters.category?.map((slug) => this.currentSlug(slug)) ?? [];
      if (categories.length > 0 && !categories.some((slug) => project.categories.includes(slug))) return false;
      if (filters.tag?.length && !filters.tag.some((tag) => project.tags.includes(tag))) return false;
      if (filters.sphere?.length) {
        const spheres = this.spheres(project);
        if (!filters.sphere.some((sphere) => spheres.includes(sphere))) return false;
      }
      if (q.trim() !== '') {
        const texts = filters.searchIn === 'public' ? item.publicTexts : item.adminTexts;
        if (!texts.some((text) => text.includes(q))) return false;
      }
      if (filters.bbox || filters.near) {
        const { latitude, longitude } = project;
        if (latitude === null || longitude === null) return false;
        if (filters.bbox) {
          const { west, south, east, north } = filters.bbox;
          if (latitude < south || latitude > north) return false;
          const within = west <= east ? west <= longitude && longitude <= east : longitude >= west || longitude <= east;
          if (!within) return false;
        }
        if (filters.near) {
          const { near } = filters;
          if (distance(near.latitude, near.longitude, latitude, longitude) > near.radiusKm) return false;
        }
      }
      return true;
    });
  }

  #facet(query: CatalogQuery, name: FacetName): FacetCount[] {
    const { [name as 'category']: _, ...filters } = query.filters;
    const counts: Record<string, number> = Object.create(null);
    const scope = name === 'status' ? { ...query.scope, status: 'any' as const } : query.scope;
    for (const { project } of this.#matching({ ...query, scope, filters })) {
      const values = {
        category: project.categories,
        sphere: this.spheres(project),
        pricing: [project.pricing_type],
        status: [project.status],
        tag: project.tags,
      }[name];
      for (const value of new Set(values)) counts[value] = (counts[value] ?? 0) + 1;
    }
    return Object.entries(counts)
      .map(([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
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
    const queue = this.all().filter(({ project }) => project.status === 'pending' && project.deleted_at === null);
    const index = queue.findIndex(({ project }) => project.id === id);
    return index < 0 ? undefined : index + 1;
  }
}
