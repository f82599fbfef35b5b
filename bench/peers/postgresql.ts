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
  ratings_count int NOT NULL, comments_count int NOT NULL, views_count int NOT NULL, latitude float8, longitude float8,
  address_city text, address_country text, created_at text NOT NULL, updated_at text NOT NULL, published_at text,
  deleted_at text, sort_name text NOT NULL, hot float8 NOT NULL, search text NOT NULL, shown boolean NOT NULL
)`;

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
CREATE INDEX ON listing USING gin (search gin_trgm_ops) WHERE shown`;

const ORDERS: Readonly<Record<Sort, string>> = {
  newest: 'published_at DESC, created_at DESC, id DESC',
  oldest: 'published_at, created_at, id',
  upvotes: 'upvote_count DESC, id DESC',
  rating: 'average_rating DESC, ratings_count DESC, id DESC',
  views: 'views_count DESC, id DESC',
  name: 'sort_name, id',
  trending: 'hot DESC, id DESC',
};

/** A statement with its values. Statements with the same text are prepared once per connection. */
class Statement {
  readonly values: unknown[] = [];

  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  where(query: ListQuery, without?: Facet): string {
    const { category, sphere, pricing, q, bbox } = query;
    const conditions = ['shown'];
    if (category.length > 0 && without !== 'category') conditions.push(`categories && ${this.value(category)}::text[]`);
    if (sphere.length > 0 && without !== 'sphere') conditions.push(`spheres && ${this.value(sphere)}::text[]`);
    if (pricing !== undefined && without !== 'pricing') conditions.push(`pricing_type = ${this.value(pricing)}`);
    if (q !== undefined) conditions.push(`search LIKE ${this.value(anywhere(q))}`);
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
}

const columns = members.map((member) => `listing.${member}`).join(', ');

/**
 * A page and its total in one round trip: matches are counted in an index; the planner either scans the sort index up
 * to the page or sorts the matches. The ids of the page are selected first, so that only its rows are read completely.
 */
const pageOf = (query: ListQuery): { text: string; values: unknown[] } => {
  const statement = new Statement();
  const where = statement.where(query);
  const order = ORDERS[query.sort];
  const range = `LIMIT ${statement.value(query.limit)} OFFSET ${statement.value((query.page - 1) * query.limit)}`;
  const text =
    `WITH page AS MATERIALIZED (SELECT id FROM listing WHERE ${where} ORDER BY ${order} ${range}) ` +
    `SELECT ${columns}, (SELECT count(*) FROM listing WHERE ${where})::int AS total ` +
    `FROM page JOIN listing USING (id) ORDER BY ${order.replaceAll(/\b([a-z_]+)(?=,| DESC|$)/g, 'listing.$1')}`;
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
};

const facetOf = (query: ListQuery, facet: Facet): { text: string; values: unknown[] } => {
  const statement = new Statement();
  const where = statement.where(query, facet);
  return {
    text: `SELECT value, count(*)::int AS count FROM ${FACET_VALUES[facet]} WHERE ${where} GROUP BY value ORDER BY count DESC, value`,
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
