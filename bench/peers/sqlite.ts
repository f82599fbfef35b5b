import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  anywhere,
  type Facet,
  type FacetCount,
  isVisible,
  type Line,
  type Listing,
  type ListQuery,
  type ListResult,
  linesOf,
  members,
  type Sort,
  wordsOf,
} from './directory.ts';
import { serve } from './server.ts';

// The directory in SQLite: an index per sort order, tables for categories, spheres and tags, FTS5 with trigrams for
// text. Filtered and sorted columns come first in the row, so that reading them does not read the long texts. The other
// tables contain only public listings; triggers would maintain them in a real application.
const TABLES = `
CREATE TABLE listing (
  n INTEGER PRIMARY KEY, shown INTEGER NOT NULL, pricing_type TEXT NOT NULL, upvote_count INTEGER NOT NULL,
  average_rating REAL NOT NULL, weighted_rating REAL NOT NULL, ratings_count INTEGER NOT NULL, views_count INTEGER NOT NULL, hot REAL NOT NULL,
  latitude REAL, longitude REAL, published_at TEXT, created_at TEXT NOT NULL, id TEXT NOT NULL, sort_name TEXT NOT NULL,
  slug TEXT NOT NULL, plan TEXT NOT NULL, name TEXT NOT NULL, url TEXT NOT NULL, description TEXT NOT NULL,
  categories TEXT NOT NULL, spheres TEXT NOT NULL, tags TEXT NOT NULL, logo_url TEXT, screenshots TEXT NOT NULL,
  video_url TEXT, status TEXT NOT NULL, owner_id TEXT NOT NULL, comments_count INTEGER NOT NULL, address_city TEXT,
  address_country TEXT, updated_at TEXT NOT NULL, deleted_at TEXT, long_description TEXT, fields TEXT NOT NULL,
  price REAL GENERATED ALWAYS AS (json_extract(fields, '$.price')) VIRTUAL,
  level TEXT GENERATED ALWAYS AS (json_extract(fields, '$.level')) VIRTUAL
);
CREATE TABLE category (value TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (value, n)) WITHOUT ROWID;
CREATE TABLE sphere (value TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (value, n)) WITHOUT ROWID;
CREATE TABLE platform (value TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (value, n)) WITHOUT ROWID;
CREATE TABLE tag (value TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (value, n)) WITHOUT ROWID;
CREATE TABLE words (n INTEGER PRIMARY KEY, search TEXT NOT NULL);
CREATE VIRTUAL TABLE trigrams USING fts5(search, content='words', content_rowid='n', tokenize='trigram case_sensitive 1');
CREATE VIRTUAL TABLE whole USING fts5(search, content='words', content_rowid='n', tokenize='unicode61 remove_diacritics 0');
`;

const INDEXES = `
CREATE UNIQUE INDEX listing_slug ON listing (slug);
CREATE INDEX listing_newest ON listing (published_at, created_at, id) WHERE shown;
CREATE INDEX listing_upvotes ON listing (upvote_count DESC, id DESC) WHERE shown;
CREATE INDEX listing_rating ON listing (average_rating DESC, ratings_count DESC, id DESC) WHERE shown;
CREATE INDEX listing_views ON listing (views_count DESC, id DESC) WHERE shown;
CREATE INDEX listing_name ON listing (sort_name, id) WHERE shown;
CREATE INDEX listing_hot ON listing (hot DESC, id DESC) WHERE shown;
CREATE INDEX listing_pricing ON listing (pricing_type) WHERE shown;
CREATE INDEX listing_place ON listing (latitude, longitude) WHERE shown AND latitude IS NOT NULL;
CREATE INDEX listing_price ON listing (price, id) WHERE shown;
CREATE INDEX listing_level ON listing (level) WHERE shown;
INSERT INTO whole(whole) VALUES ('rebuild');
INSERT INTO whole(whole) VALUES ('optimize');
INSERT INTO trigrams(trigrams) VALUES ('rebuild');
INSERT INTO trigrams(trigrams) VALUES ('optimize');
ANALYZE;
`;

const ORDERS: Readonly<Record<Exclude<Sort, 'relevance'>, string>> = {
  newest: 'published_at DESC, created_at DESC, id DESC',
  oldest: 'published_at, created_at, id',
  upvotes: 'upvote_count DESC, id DESC',
  rating: 'average_rating DESC, ratings_count DESC, id DESC',
  views: 'views_count DESC, id DESC',
  name: 'sort_name, id',
  trending: 'hot DESC, id DESC',
  'fields.price': 'price NULLS LAST, id',
};

/** The trigram index needs three characters; shorter queries scan all texts. */
const TRIGRAM = 3;

const marks = (values: readonly SQLInputValue[]): string => values.map(() => '?').join(', ');

interface Statement {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** One filter in its equivalent forms. */
interface Condition {
  /** As a condition on a listing. */
  readonly test: string;
  /** As a query for the numbers of the matching public listings; undefined if only the listing's row has the value. */
  readonly source?: string;
  readonly values: readonly SQLInputValue[];
}

const among = (table: 'category' | 'sphere', values: readonly string[]): Condition => ({
  test: `EXISTS (SELECT 1 FROM ${table} WHERE value IN (${marks(values)}) AND ${table}.n = listing.n)`,
  source: `SELECT ${values.length > 1 ? 'DISTINCT ' : ''}n FROM ${table} WHERE value IN (${marks(values)})`,
  values,
});

/** The index of a search by words, or for one with typos the index of trigrams, of which any may occur. */
const ranked = (match: ListQuery['match'], q: string): { readonly table: string; readonly text: string } => {
  const words = wordsOf(q);
  if (match === 'words') return { table: 'whole', text: `${words.map((word) => `"${word}"`).join(' AND ')}*` };
  const trigrams = words.flatMap((word) =>
    Array.from({ length: Math.max(1, word.length - TRIGRAM + 1) }, (_, at) => `"${word.slice(at, at + TRIGRAM)}"`),
  );
  return { table: 'trigrams', text: trigrams.join(' OR ') };
};

const indexed = (match: ListQuery['match'], q: string): Condition => {
  const { table, text } = ranked(match, q);
  const source = `SELECT rowid AS n FROM ${table} WHERE ${table} MATCH ?`;
  return { test: `n IN (${source})`, source, values: [text] };
};

const searchOf = (q: string, match: ListQuery['match']): Condition => {
  if (match !== 'substring') return indexed(match, q);
  const [source, value] =
    [...q].length < TRIGRAM
      ? ["SELECT n FROM words WHERE search LIKE ? ESCAPE '\\'", anywhere(q)]
      : ['SELECT rowid AS n FROM trigrams WHERE trigrams MATCH ?', `"${q.replaceAll('"', '""')}"`];
  return { test: `n IN (${source})`, source, values: [value] };
};

const conditionsOf = (query: ListQuery, without?: Facet): readonly Condition[] => {
  const { category, sphere, pricing, q, match, bbox, fields } = query;
  const conditions: Condition[] = [];
  if (category.length > 0 && without !== 'category') conditions.push(among('category', category));
  if (sphere.length > 0 && without !== 'sphere') conditions.push(among('sphere', sphere));
  if (pricing !== undefined && without !== 'pricing') conditions.push({ test: 'pricing_type = ?', values: [pricing] });
  if (q !== undefined) conditions.push(searchOf(q, match));
  for (const filter of fields) {
    if (without === `fields.${filter.key}`) continue;
    conditions.push(
      'values' in filter
        ? { test: `${filter.key} IN (${marks(filter.values)})`, values: filter.values }
        : { test: `${filter.key} BETWEEN ? AND ?`, values: [filter.from, filter.to] },
    );
  }
  if (bbox) {
    const [west, south, east, north] = bbox;
    conditions.push({ test: 'latitude IS NOT NULL AND latitude BETWEEN ? AND ?', values: [south, north] });
    conditions.push({
      test: west <= east ? 'longitude BETWEEN ? AND ?' : '(longitude >= ? OR longitude <= ?)',
      values: [west, east],
    });
  }
  return conditions;
};

const valuesOf = (conditions: readonly Condition[]): SQLInputValue[] => conditions.flatMap(({ values }) => values);

/** The conditions, in the form of number queries where possible. */
const byList = (conditions: readonly Condition[]): string => {
  const tests = conditions.map(({ source, test }) => (source === undefined ? test : `n IN (${source})`));
  const scope = conditions.some(({ source }) => source !== undefined) ? [] : ['shown'];
  return [...scope, ...tests].join(' AND ');
};

const countOf = (conditions: readonly Condition[]): Statement => {
  const [only] = conditions;
  const source = conditions.length === 1 ? only?.source : undefined;
  return {
    sql:
      source === undefined
        ? `SELECT count(*) AS total FROM listing WHERE ${byList(conditions)}`
        : `SELECT count(*) AS total FROM (${source})`,
    values: valuesOf(conditions),
  };
};

/** Scanning a listing in an index costs about a third of finding and sorting one. */
const SCANNED_PER_SORTED = 3;

/**
 * The numbers of the listings of a page. If many match, the sort index is scanned until the page is full; if few match,
 * the matches are sorted. The planner cannot decide that, but the total is already known here.
 */
const numbersOf = (query: ListQuery, conditions: readonly Condition[], total: number, all: number): Statement => {
  const skip = (query.page - 1) * query.limit;
  if (query.sort === 'relevance') {
    const { table, text } = ranked(query.match, query.q ?? '');
    return {
      sql: `SELECT rowid AS n FROM ${table} WHERE ${table} MATCH ? ORDER BY rank LIMIT ? OFFSET ?`,
      values: [text, query.limit, skip],
    };
  }
  const scanned = total === 0 ? all : ((skip + query.limit) * all) / total;
  const isScan = conditions.length === 0 || scanned < total * SCANNED_PER_SORTED;
  const order = ORDERS[query.sort];
  const where = isScan ? ['shown', ...conditions.map(({ test }) => test)].join(' AND ') : byList(conditions);
  return {
    // A unary plus prevents SQLite from using an index for a column.
    sql: `SELECT n FROM listing WHERE ${where} ORDER BY ${isScan ? order : `+${order.replaceAll(', ', ', +')}`} LIMIT ? OFFSET ?`,
    values: [...valuesOf(conditions), query.limit, skip],
  };
};

/** Members that are stored as JSON. */
const lists = ['categories', 'spheres', 'tags', 'screenshots', 'fields'] as const;
const columns = members.join(', ');

/** The column of listings, or the table, that has the values of a facet. */
const FACETS: Readonly<Record<Facet, { readonly column?: string; readonly table?: string }>> = {
  category: { table: 'category' },
  sphere: { table: 'sphere' },
  tag: { table: 'tag' },
  pricing: { column: 'pricing_type' },
  'fields.level': { column: 'level' },
  'fields.platforms': { table: 'platform' },
};

type Row = Record<string, unknown>;

const listingOf = (row: Row): Listing => {
  for (const name of lists) row[name] = JSON.parse(row[name] as string);
  return row as unknown as Listing;
};

const rowOf = ({ view, name, hot }: Line, n: number): Row => ({
  ...Object.fromEntries(members.map((member) => [member, view[member]])),
  ...Object.fromEntries(lists.map((list) => [list, JSON.stringify(view[list])])),
  n,
  hot,
  sort_name: name,
  shown: isVisible(view) ? 1 : 0,
});

const load = async (database: DatabaseSync, file: string): Promise<void> => {
  database.exec(TABLES);
  const names = [...members, 'n', 'hot', 'sort_name', 'shown'];
  const insert = database.prepare(`INSERT INTO listing (${names.join(', ')}) VALUES (@${names.join(', @')})`);
  const [category, sphere, tag, platform] = ['category', 'sphere', 'tag', 'platform'].map((table) =>
    database.prepare(`INSERT OR IGNORE INTO ${table} VALUES (?, ?)`),
  );
  const words = database.prepare('INSERT INTO words VALUES (?, ?)');
  let n = 0;
  for await (const lines of linesOf(file)) {
    database.exec('BEGIN');
    for (const line of lines) {
      n += 1;
      insert.run(rowOf(line, n) as Record<string, SQLInputValue>);
      if (!isVisible(line.view)) continue;
      words.run(n, line.search);
      for (const value of line.view.categories) category?.run(value, n);
      for (const value of line.view.spheres) sphere?.run(value, n);
      for (const value of line.view.tags) tag?.run(value, n);
      for (const value of (line.view.fields.platforms ?? []) as string[]) platform?.run(value, n);
    }
    database.exec('COMMIT');
  }
  database.exec(INDEXES);
};

await serve(async (file) => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-sqlite-'));
  const database = new DatabaseSync(join(folder, 'directory.sqlite'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const close = async (): Promise<void> => {
    database.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; PRAGMA mmap_size = 8000000000; PRAGMA case_sensitive_like = ON;',
    );
    await load(database, file);
  } catch (error) {
    await close();
    throw error;
  }

  const vote = database.prepare('UPDATE listing SET upvote_count = upvote_count + ?, hot = ? WHERE slug = ?');
  const prepared = new Map<string, StatementSync>();
  const all = <T>({ sql, values }: Statement): T[] => {
    let statement = prepared.get(sql);
    if (!statement) {
      statement = database.prepare(sql);
      prepared.set(sql, statement);
    }
    return statement.all(...values) as unknown[] as T[];
  };

  const size = all<{ total: number }>(countOf([]))[0]?.total ?? 0;

  const pageOf = (query: ListQuery): { rows: Row[]; total: number } => {
    const conditions = conditionsOf(query);
    const total = all<{ total: number }>(countOf(conditions))[0]?.total ?? 0;
    const numbers = all<{ n: number }>(numbersOf(query, conditions, total, size)).map(({ n }) => n);
    const rows = all<Row & { n: number }>({
      sql: `SELECT n, ${columns} FROM listing WHERE n IN (${marks(numbers)})`,
      values: numbers,
    });
    const byNumber = new Map(rows.map((row) => [row.n, row]));
    return { total, rows: numbers.flatMap((n) => byNumber.get(n) ?? []) };
  };

  const facetOf = (query: ListQuery, facet: Facet): FacetCount[] => {
    const conditions = conditionsOf(query, facet);
    const where = byList(conditions);
    const { column, table } = FACETS[facet];
    const source =
      table === undefined
        ? `(SELECT ${column} AS value FROM listing WHERE ${where} AND ${column} IS NOT NULL)`
        : conditions.length === 0
          ? table
          : `${table} WHERE n IN (SELECT n FROM listing WHERE ${where})`;
    return all<FacetCount>({
      sql: `SELECT value, count(*) AS count FROM ${source} GROUP BY value ORDER BY count DESC, value`,
      values: valuesOf(conditions),
    });
  };

  return {
    list: (query): ListResult => {
      const { rows, total } = pageOf(query);
      return {
        listings: rows.map(listingOf),
        total,
        ...(query.facets.length > 0 && {
          facets: Object.fromEntries(query.facets.map((facet) => [facet, facetOf(query, facet)])),
        }),
      };
    },
    find: (slug) => {
      const row = all<Row>({ sql: `SELECT ${columns} FROM listing WHERE slug = ? AND shown`, values: [slug] })[0];
      return row && listingOf(row);
    },
    vote: (slug, by, hot) => {
      vote.run(by, hot, slug);
    },
    close,
  };
});
