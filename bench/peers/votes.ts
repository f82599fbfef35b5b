import { fastify } from 'fastify';
import { isVisible, linesOf } from './directory.ts';
import { listen, listingsFile } from './listening.ts';
import { startPool } from './postgresql-cluster.ts';

// Votes in PostgreSQL: one transaction counts the request of the caller, stores the vote and an outbox row, and updates
// the counter of the listing. Callers are not authenticated.

const TABLES = `
CREATE TABLE listing (id text PRIMARY KEY, slug text NOT NULL UNIQUE, upvote_count int NOT NULL, version bigint NOT NULL);
CREATE TABLE vote (listing_id text, user_id text, created_at timestamptz NOT NULL, PRIMARY KEY (listing_id, user_id));
CREATE INDEX ON vote (user_id, created_at);
CREATE TABLE outbox (id bigserial PRIMARY KEY, kind text NOT NULL, detail jsonb NOT NULL, created_at timestamptz NOT NULL);
CREATE TABLE rate_count (bucket text PRIMARY KEY, count int NOT NULL, ends_at timestamptz NOT NULL)`;

const WINDOW_SECONDS = 60;
const LIMIT = 100_000_000;
/** As many as the load generator has connections. */
const POOL = 16;

const { pool, close } = await startPool(POOL);

const countRequest = async (bucket: string, endsAt: Date): Promise<number> => {
  const { rows } = await pool.query<{ count: number }>({
    name: 'count',
    text: 'INSERT INTO rate_count VALUES ($1, 1, $2) ON CONFLICT (bucket) DO UPDATE SET count = rate_count.count + 1 RETURNING count',
    values: [bucket, endsAt],
  });
  return rows[0]?.count ?? 0;
};

/** @returns the number of upvotes; undefined when there is no such listing. */
const vote = async (slug: string, userId: string): Promise<number | undefined> => {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const found = await client.query<{ id: string }>({
      name: 'find',
      text: 'SELECT id FROM listing WHERE slug = $1 OR id = $1',
      values: [slug],
    });
    const id = found.rows[0]?.id;
    if (id === undefined) {
      await client.query('ROLLBACK');
      return undefined;
    }
    const added = await client.query({
      name: 'vote',
      text: 'INSERT INTO vote VALUES ($1, $2, now()) ON CONFLICT DO NOTHING',
      values: [id, userId],
    });
    const counted = await client.query<{ upvote_count: number }>({
      name: 'counter',
      text: 'UPDATE listing SET upvote_count = upvote_count + $2, version = version + 1 WHERE id = $1 RETURNING upvote_count',
      values: [id, added.rowCount ?? 0],
    });
    await client.query({
      name: 'outbox',
      text: 'INSERT INTO outbox (kind, detail, created_at) VALUES ($1, $2, now())',
      values: ['projectUpvoted', JSON.stringify({ project_id: id, user_id: userId })],
    });
    await client.query('COMMIT');
    return counted.rows[0]?.upvote_count;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
};

try {
  await pool.query(TABLES);
  for await (const lines of linesOf(listingsFile())) {
    const rows = lines.filter(({ view }) => isVisible(view)).map(({ view }) => ({ ...view, version: 1 }));
    await pool.query('INSERT INTO listing SELECT * FROM jsonb_populate_recordset(NULL::listing, $1::jsonb)', [
      JSON.stringify(rows),
    ]);
  }
  await pool.query('VACUUM ANALYZE listing');
} catch (error) {
  await close();
  throw error;
}

const app = fastify({ logger: false });
app.post<{ Params: { slug: string } }>('/api/projects/:slug/upvote', async (request, reply) => {
  const userId = request.headers.authorization?.slice('Bearer '.length);
  if (userId === undefined) return await reply.code(401).send({ error: 'UNAUTHORIZED' });
  const window = Math.floor(Date.now() / 1000 / WINDOW_SECONDS);
  const counted = await countRequest(`voting ${window} ${request.ip}`, new Date((window + 1) * WINDOW_SECONDS * 1000));
  if (counted > LIMIT) return await reply.code(429).send({ error: 'RATE_LIMITED' });
  const upvotes = await vote(request.params.slug, userId);
  if (upvotes === undefined) return await reply.code(404).send({ error: 'NOT_FOUND' });
  return { data: { upvoted: true, upvote_count: upvotes } };
});
await listen(app, close);
