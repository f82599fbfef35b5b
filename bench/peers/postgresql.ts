import type { QueryResultRow } from 'pg';
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
import { startPool } from './postgresql-cluster.ts';
import { serve } from './server.ts';

// The directory in PostgreSQL: a table with arrays, an index per sort order and filter, trigrams for text search. Times
// are stored as text in the format of responses, which the C locale sorts chronologically.
const TABLE = `
CREATE EXTENSION pg_trgm;
CREATE TABLE listing (
  id text PRIMARY KEY, slug text NOT NULL UNIQUE, plan text NOT NULL, name text NOT NULL, url text NOT NULL,
  description text NOT NULL, long_description text, categories text[] NOT NULL, spheres text[] NOT NULL,
  tags text[] NOT NULL, logo_url text, screenshots text[] NOT NULL, video_url text, pricing_type text NOT NULL,
  status text NOT NULL, owner_id text NOT NULL, upvote_count int NOT NULL, average_rating float8 NOT NULL,
  weighted_rating float8 NOT NULL,
  ratings_count int NOT NULL, comments_count int NOT NULL, views_count int NOT NULL, latitude float8, longitude float8,
  address_city text, address_country text, created_at text NOT NULL, updated_at text NOT NULL, published_at text,
  deleted_at text, fields jsonb NOT NULL, sort_name text NOT NULL, hot float8 NOT NULL, search text NOT NULL,
  shown boolean NOT NULL
)`;

/** The words of a listing, for searches by words. */
const WORDS = "to_tsvector('simple', listing.search)";

const INDEXES = `
CREATE INDEX ON listing (published_at, created_at, id) WHERE shown;
CREATE INDEX ON listing (upvote_count DESC, id DESC) WHERE shown;
CREATE INDEX ON listing (average_rating DESC, ratings_count DESC, id DESC) WHERE shown;
CREATE INDEX ON listing (views_count DESC, id DESC) WHERE shown;
CREATE INDEX ON listing (sort_name, id) WHERE shown;
CREATE INDEX ON listing (hot DESC, id DESC) WHERE shown;
CREATE INDEX ON listing (pricing_type) WHERE shown;
CREATE INDEX ON listing (latitude, longitude) WHERE shown AND latitude IS NOT NULL;
CREATE INDEX ON listing USING gin (categories) WHERE shown;
CREATE INDEX ON listing USING gin (spheres) WHERE shown;
CREATE INDEX ON listing USING gin (search gin_trgm_ops) WHERE shown;
CREATE INDEX ON listing USING gin (${WORDS.replace('listing.', '')}) WHERE shown;
CREATE INDEX ON listing USING gin (fields jsonb_path_ops) WHERE shown;
CREATE INDEX ON listing (((fields->>'price')::float8), id) WHERE shown;
CREATE INDEX ON listing ((fields->>'level')) WHERE shown`;

const ORDERS: Readonly<Record<Exclude<Sort, 'relevance'>, string>> = {
  newest: 'listing.published_at DESC, listing.created_at DESC, listing.id DESC',
  oldest: 'listing.published_at, listing.created_at, listing.id',
  upvotes: 'listing.upvote_count DESC, listing.id DESC',
  rating: 'listing.average_rating DESC, listing.ratings_count DESC, listing.id DESC',
  views: 'listing.views_count DESC, listing.id DESC',
  name: 'listing.sort_name, listing.id',
  trending: 'listing.hot DESC, listing.id DESC',
  'fields.price': "(listing.fields->>'price')::float8, listing.id",
};

/** Words that all occur, the last one as a beginning. */
const wordsQuery = (q: string): string => `${wordsOf(q).join(' & ')}:*`;

/** A statement with its values. Statements with the same text are prepared once per connection. */
class Statement {
  readonly values: unknown[] = [];

  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  where(query: ListQuery, without?: Facet): string {
    const { category, sphere, pricing, q, match, bbox, fields } = query;
    const conditions = ['shown'];
    if (category.length > 0 && without !== 'category') conditions.push(`categories && ${this.value(category)}::text[]`);
    if (sphere.length > 0 && without !== 'sphere') conditions.push(`spheres && ${this.value(sphere)}::text[]`);
    if (pricing !== undefined && without !== 'pricing') conditions.push(`pricing_type = ${this.value(pricing)}`);
    if (q !== undefined) conditions.push(this.#search(q, match));
    for (const filter of fields) {
      if (without === `fields.${filter.key}`) continue;
      const value = `fields->>'${filter.key}'`;
      conditions.push(
        'values' in filter
          ? `${value} = ANY(${this.value(filter.values)}::text[])`
          : `(${value})::float8 BETWEEN ${this.value(filter.from)}::float8 AND ${this.value(filter.to)}::float8`,
      );
    }
    if (bbox) {
      const [west, south, east, north] = bbox;
      conditions.push(`latitude BETWEEN ${this.value(south)}::float8 AND ${this.value(north)}::float8`);
      const [from, to] = [`${this.value(west)}::float8`, `${this.value(east)}::float8`];
      conditions.push(
        west <= east ? `longitude BETWEEN ${from} AND ${to}` : `(longitude >= ${from} OR longitude <= ${to})`,
      );
    }
    return conditions.join(' AND ');
  }

  order({ sort, q = '', match }: ListQuery): string {
    if (sort !== 'relevance') return ORDERS[sort];
    const rank =
      match === 'fuzzy'
        ? `word_similarity(${this.value(q)}, listing.search)`
        : `ts_rank(${WORDS}, to_tsquery('simple', ${this.value(wordsQuery(q))}))`;
    return `${rank} DESC, listing.upvote_count DESC, listing.id DESC`;
  }

  #search(q: string, match: ListQuery['match']): string {
    if (match === 'fuzzy') return `${this.value(q)} <% search`;
    if (match === 'words') return `${WORDS} @@ to_tsquery('simple', ${this.value(wordsQuery(q))})`;
    return `search LIKE ${this.value(anywhere(q))}`;
  }
}

const columns = members.map((member) => `listing.${member}`).join(', ');

/**
 * A page and its total in one round trip: matches are counted in an index; the planner either scans the sort index up
 * to the page or sorts the matches. The ids of the page are selected first, so that only its rows are read completely.
 */
const pageOf = (query: ListQuery): { text: string; values: unknown[] } => {
  const statement = new Statement();
  const where = statement.where(query);
  const order = statement.order(query);
  const range = `LIMIT ${statement.value(query.limit)} OFFSET ${statement.value((query.page - 1) * query.limit)}`;
  const text =
    `WITH page AS MATERIALIZED (SELECT id FROM listing WHERE ${where} ORDER BY ${order} ${range}) ` +
    `SELECT ${columns}, (SELECT count(*) FROM listing WHERE ${where})::int AS total ` +
    `FROM page JOIN listing USING (id) ORDER BY ${order}`;
  return { text, values: statement.values };
};

const totalOf = (query: ListQuery): { text: string; values: unknown[] } => {
  const statement = new Statement();
  return {
    text: `SELECT count(*)::int AS total FROM listing WHERE ${statement.where(query)}`,
    values: statement.values,
  };
};

const FACET_VALUES: Readonly<Record<Facet, string>> = {
  category: 'listing, unnest(categories) AS value',
  sphere: 'listing, unnest(spheres) AS value',
  pricing: '(SELECT *, pricing_type AS value FROM listing) AS listing',
  tag: 'listing, unnest(tags) AS value',
  'fields.level': "(SELECT *, fields->>'level' AS value FROM listing) AS listing",
  'fields.platforms': "listing, jsonb_array_elements_text(fields->'platforms') AS value",
};

const facetOf = (query: ListQuery, facet: Facet): { text: string; values: unknown[] } => {
  const statement = new Statement();
  const where = statement.where(query, facet);
  return {
    text: `SELECT value, count(*)::int AS count FROM ${FACET_VALUES[facet]} WHERE ${where} AND value IS NOT NULL GROUP BY value ORDER BY count DESC, value`,
    values: statement.values,
  };
};

const INSERT = 'INSERT INTO listing SELECT * FROM jsonb_populate_recordset(NULL::listing, $1::jsonb)';
const rowOf = ({ view, name, hot, search }: Line) => ({
  ...view,
  sort_name: name,
  hot,
  search,
  shown: isVisible(view),
});

const POOL = 4;

await serve(async (file) => {
  const { pool, close } = await startPool(POOL);
  const names = new Map<string, string>();
  const runQuery = async <Row extends QueryResultRow>(statement: {
    text: string;
    values: unknown[];
  }): Promise<Row[]> => {
    const name = names.get(statement.text) ?? `s${names.size}`;
    names.set(statement.text, name);
    return (await pool.query<Row>({ ...statement, name })).rows;
  };
  try {
    await pool.query(TABLE);
    for await (const lines of linesOf(file)) await pool.query(INSERT, [JSON.stringify(lines.map(rowOf))]);
    await pool.query(INDEXES);
    await pool.query('VACUUM ANALYZE listing');
  } catch (error) {
    await close();
    throw error;
  }
  return {
    list: async (query): Promise<ListResult> => {
      const [page, ...counted] = await Promise.all([
        runQuery<Listing & { total: number }>(pageOf(query)),
        ...query.facets.map((facet) => runQuery<FacetCount>(facetOf(query, facet))),
      ]);
      const total = page[0]?.total ?? (await runQuery<{ total: number }>(totalOf(query)))[0]?.total ?? 0;
      return {
        listings: page,
        total,
        ...(counted.length > 0 && {
          facets: Object.fromEntries(query.facets.map((facet, position) => [facet, counted[position] ?? []])),
        }),
      };
    },
    find: async (slug) =>
      (
        await runQuery<Listing>({ text: `SELECT ${columns} FROM listing WHERE slug = $1 AND shown`, values: [slug] })
      )[0],
    vote: async (slug, by, hot) => {
      await runQuery({
        text: 'UPDATE listing SET upvote_count = upvote_count + $1, hot = $2 WHERE slug = $3',
        values: [by, hot, slug],
      });
    },
    close,
  };
});
