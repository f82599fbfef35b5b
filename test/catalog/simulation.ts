import type { CatalogChange, CatalogFilters, CatalogQuery } from '#catalog/types.ts';
import { adminFacetNames, type SortOrder } from '#contract/projects.ts';
import type { CategoryRecord } from '#model/category.ts';
import type { Fields } from '#model/field.ts';
import type { ProjectCounts, ProjectRecord } from '#model/project.ts';
import { randomCondition, randomFields, randomValues } from './field-values.ts';
import { category, counts, project } from './fixtures.ts';
import { isSameTag } from './plain-fold.ts';
import { Random } from './random.ts';

const words =
  'Café Zürich open source Łódź Straße smørrebrød ÆON tool toolbox kit a b to 東京 東京都 😀 Ａ１ Über-cool c++ x Rock’n’Roll „Café“ «x» a–b `to` ´a″'.split(
    ' ',
  );
const hosts = [
  'example.com',
  'www.tools.io',
  'a.b.example.org',
  'zz.dev',
  'munchen.de:8080',
  'MÜNCHEN.de',
  'www.xn--mnchen-3ya.de',
];
const tagNames = [
  'ai',
  'Open Source',
  'Café',
  'dev tools',
  'c++',
  'x',
  'Ärzte',
  'map',
  'AI',
  'ＡＩ',
  'open source',
  'CAFE\u0301',
  'ÄRZTE',
  'X',
];
const slugs = ['music', 'code', 'maps', 'art', 'food', 'misc'];
const spheres = ['work', 'play', 'Home'];
const owners = ['usr_a', 'usr_b', 'usr_c'];
const statuses = ['live', 'live', 'live', 'pending', 'rejected'] as const;
const pricings = ['free', 'freemium', 'paid'] as const;
const sorts: readonly SortOrder[] = [
  'newest',
  'oldest',
  'upvotes',
  'rating',
  'views',
  'name',
  'name_desc',
  'trending',
  'weighted_rating',
  'relevance',
];

/**
 * Random changes as a feed may deliver them: mostly new ones, but also repeated and late ones, counters before their
 * project, changes of removed projects, and restored projects. Times and numbers have few distinct values, so that ties
 * are frequent.
 */
export class FeedSimulation {
  readonly #random: Random;
  readonly #size: number;
  readonly #versions = new Map<string, number>();
  readonly #delayed: CatalogChange[] = [];
  readonly #sent: CatalogChange[] = [];
  readonly #removed: string[] = [];
  readonly projectIds: string[] = [];
  #created = 0;
  /** Queries filter, sort and count by these, when there are any. */
  fields: Fields | undefined;

  /** @param size the approximate number of projects in the long run. */
  constructor(random: Random, size: number) {
    this.#random = random;
    this.#size = size;
  }

  change(): CatalogChange {
    const random = this.#random;
    if (this.#delayed.length > 0 && random.chance(0.1)) {
      return this.#delayed.splice(random.below(this.#delayed.length), 1)[0] as CatalogChange;
    }
    if (this.#sent.length > 0 && random.chance(0.05)) return random.pick(this.#sent);
    const change = this.#newChange();
    this.#sent.push(change);
    if (this.#sent.length > 500) this.#sent.splice(0, 250);
    if (random.chance(0.05)) {
      this.#delayed.push(change);
      return this.change();
    }
    return change;
  }

  #newChange(): CatalogChange {
    const random = this.#random;
    const id = this.#someId();
    const kind = random.next();
    if (kind < 0.06) return { kind: 'category', category: this.category() };
    if (kind < 0.065) {
      const version = this.category().version - random.below(3);
      const alias = { slug: random.pick(slugs), into: `cat_${random.below(9)}` };
      return {
        kind: 'categoryRemoved',
        categoryId: `cat_${random.below(9)}`,
        ...(random.chance(0.7) && { version }),
        ...(random.chance(0.5) && { alias }),
      };
    }
    if (this.projectIds.length > this.#size && kind < 0.1) {
      const index = this.projectIds.indexOf(id);
      if (index >= 0) this.#removed.push(...this.projectIds.splice(index, 1));
      const version = this.#versions.get(id) ?? 0;
      return { kind: 'projectRemoved', projectId: id, ...(random.chance(0.7) && { version }) };
    }
    if (kind < 0.45) return { kind: 'counts', projectId: id, counts: this.#counts(id) };
    if (kind < 0.7 || this.projectIds.length >= this.#size) return { kind: 'project', project: this.project(id) };
    return { kind: 'project', project: this.project(this.#newId()) };
  }

  /** The id of an existing project, rarely of a removed or a new one. */
  #someId(): string {
    const random = this.#random;
    if (this.#removed.length > 0 && random.chance(0.05)) return random.pick(this.#removed);
    return this.projectIds.length > 0 && random.chance(0.97) ? random.pick(this.projectIds) : this.#newId();
  }

  #newId(): string {
    this.#created += 1;
    // Ids do not increase with time, so that no order is correct by accident.
    const id = `prj_${((this.#created * 7919) % 10_007).toString(36)}`;
    this.projectIds.push(id);
    return id;
  }

  #nextVersion(key: string): number {
    const version = (this.#versions.get(key) ?? 0) + 1;
    this.#versions.set(key, version);
    return version;
  }

  #time(): string {
    return new Date(Date.UTC(2026, 0, 1 + this.#random.below(20), this.#random.below(2))).toISOString();
  }

  /** Usually a frequent word, sometimes one of many rare ones, so that the index of words grows and shrinks. */
  #word(): string {
    return this.#random.chance(0.2) ? `rare${this.#random.below(4000).toString(7)}` : this.#random.pick(words);
  }

  #text(max: number): string {
    return Array.from({ length: 1 + this.#random.below(max) }, () => this.#word()).join(' ');
  }

  /** Other definitions of fields. */
  changeFields(): Fields {
    this.fields = randomFields(this.#random, slugs);
    return this.fields;
  }

  /** The next random state of a project. */
  project(id: string): ProjectRecord {
    const random = this.#random;
    const status = random.pick(statuses);
    const located = random.chance(0.5);
    return project({
      id,
      name: this.#text(2),
      url: `https://${random.pick(hosts)}/${random.pick(['', 'a', 'A/', 'b?utm_source=x', '#top'])}`,
      description: this.#text(6),
      long_description: random.chance(0.3) ? this.#text(9) : null,
      categories: random.some(slugs, 3),
      tags: random.some(tagNames, 4).filter((tag, at, all) => all.findIndex((one) => isSameTag(one, tag)) === at),
      pricing_type: random.pick(pricings),
      status,
      owner_id: random.pick(owners),
      latitude: located ? this.#latitude() : null,
      longitude: located ? this.#longitude() : null,
      created_at: this.#time(),
      approved_at: random.chance(0.3) ? this.#time() : null,
      published_at: status === 'live' || random.chance(0.2) ? this.#time() : null,
      deleted_at: random.chance(0.1) ? this.#time() : null,
      version: this.#nextVersion(id),
      field_values: randomValues(new Random(this.#created * 31 + (this.#versions.get(id) ?? 0))),
    });
  }

  #counts(id: string): ProjectCounts {
    const random = this.#random;
    const ratings = random.below(4);
    return counts({
      upvote_count: random.below(5) ** 2,
      ratings_count: ratings,
      ratings_sum: ratings * (1 + random.below(4)) + random.below(ratings + 1),
      comments_count: random.below(3),
      views_count: random.below(10),
      reports_open: random.below(3),
      version: this.#nextVersion(`${id} counts`),
    });
  }

  /** The next random state of a random category. */
  category(): CategoryRecord {
    const random = this.#random;
    const id = `cat_${random.below(9)}`;
    return category({
      id,
      slug: random.pick(slugs),
      name: this.#text(1),
      sphere: random.chance(0.2) ? null : random.pick(spheres),
      sort_order: random.below(3),
      version: this.#nextVersion(id),
    });
  }

  #latitude(): number {
    return this.#random.chance(0.1) ? this.#random.pick([-90, 90, 0, 4, -2]) : this.#random.next() * 180 - 90;
  }

  #longitude(): number {
    return this.#random.chance(0.1) ? this.#random.pick([-180, 180, 0, 4, -4]) : this.#random.next() * 360 - 180;
  }

  query(): CatalogQuery {
    const random = this.#random;
    return {
      scope: random.chance(0.5)
        ? { status: 'live', deleted: 'excluded' }
        : {
            status: random.pick(['any', 'live', 'pending', 'rejected']),
            deleted: random.pick(['excluded', 'included']),
            ...(random.chance(0.4) && { ownerId: random.pick([...owners, 'usr_unknown']) }),
            ...(random.chance(0.3) && { scheduled: random.chance(0.5) }),
          },
      filters: { ...this.#filters(), ...this.#fieldFilters() },
      sort: this.#fieldSort() ?? random.pick(sorts),
      ...this.#fieldFacets(),
      page: random.chance(0.6) ? 1 : 1 + random.below(6),
      limit: random.pick([1, 2, 5, 10, 40, 100]),
      ...(random.chance(0.3) && { facets: adminFacetNames.filter(() => random.chance(0.6)) }),
    };
  }

  #fieldFilters(): Pick<CatalogFilters, 'fields'> {
    const random = this.#random;
    if (!this.fields || random.chance(0.4)) return {};
    return {
      fields: random.some(this.fields.all, 3).map((field) => ({ field, condition: randomCondition(random, field) })),
    };
  }

  #fieldSort(): CatalogQuery['sort'] | undefined {
    const random = this.#random;
    const sortable = this.fields?.all.filter((field) => field.sortable) ?? [];
    if (sortable.length === 0 || random.chance(0.6)) return undefined;
    return { field: random.pick(sortable), descending: random.chance(0.5) };
  }

  #fieldFacets(): Pick<CatalogQuery, 'fieldFacets'> {
    if (!this.fields || this.#random.chance(0.6)) return {};
    return { fieldFacets: this.#random.some(this.fields.all, 4) };
  }

  #filters(): CatalogFilters {
    const random = this.#random;
    const south = this.#latitude();
    return {
      searchIn: random.pick(['public', 'admin']),
      ...(random.chance(0.3) && { category: random.some([...slugs, 'unknown'], 3) }),
      ...(random.chance(0.2) && { sphere: random.some([...spheres, 'unknown', ''], 2) }),
      ...(random.chance(0.2) && { tag: random.some([...tagNames, 'unknown', ''], 3) }),
      ...(random.chance(0.2) && { pricing: random.pick(pricings) }),
      ...(random.chance(0.35) && { q: this.searchText() }),
      ...(random.chance(0.1) && { q: this.#misspelt(), match: 'fuzzy', longDescriptions: random.chance(0.5) }),
      ...(random.chance(0.4) && { match: random.pick(['substring', 'words', 'fuzzy']) }),
      ...(random.chance(0.12) && {
        bbox: {
          south,
          north: south + random.next() * (90 - south),
          west: this.#longitude(),
          east: this.#longitude(),
        },
      }),
      ...(random.chance(0.12) && {
        near: {
          latitude: this.#latitude(),
          longitude: this.#longitude(),
          radiusKm: random.pick([1, 500, 3000, 9000, 10_100, 15_000, 20_040]),
        },
      }),
    };
  }

  /** Several words, some of them with typos, some cut off. */
  #misspelt(): string {
    const random = this.#random;
    const misspelt = this.#text(5)
      .split(' ')
      .map((word) => {
        const letters = [...word];
        const at = random.below(letters.length);
        if (random.chance(0.3)) letters.splice(at, 1);
        if (random.chance(0.3)) letters.splice(at, 0, random.pick(['o', 'e', '1', '京']));
        if (random.chance(0.3)) letters.splice(at, 2, letters[at + 1] ?? '', letters[at] ?? '');
        return letters.join('');
      });
    return misspelt.join(random.pick([' ', ', ', '-', '\u2013']));
  }

  /** The address of a listing as visitors paste it, sometimes cut off or not an address. */
  #address(): string {
    const random = this.#random;
    const host = random.pick([...hosts, 'tools.io', 'www.munchen.de:8080']);
    const path = random.pick(['', '/', '/a', '/a/', '/A', '/b', '/b?utm_source=y', '/#top', '/b/c']);
    return (
      random.pick(['', 'http://', 'HTTPS://', ' https://www.']) + random.pick([host + path, host, '', '[', '%', 'to'])
    );
  }

  /** A search text: usually a substring of an existing text in some spelling, sometimes one without matches. */
  searchText(): string {
    const random = this.#random;
    if (random.chance(0.15)) return this.#address();
    if (random.chance(0.1))
      return random.pick(['absent', '  ', '\u0301', 'qq', 'oß', 'tool tool tool kit', '.', '://', 'rd sm']);
    const text = random.pick([this.#text(3), random.pick(hosts), random.pick(tagNames)]);
    const from = random.below(text.length);
    const part = text.slice(from, from + 1 + random.below(8)).toWellFormed();
    return random.pick([part, part.toUpperCase(), part.normalize('NFD')]);
  }
}
