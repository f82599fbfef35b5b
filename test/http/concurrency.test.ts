import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataOf } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedTestServer, type TestServer } from '#test/support/server.ts';

/** Guarantees under concurrent requests. */

let server: TestServer;
let admin: string;

beforeAll(async () => {
  server = await sharedTestServer();
  admin = await server.token({ email: 'root@example.com', admin: true });
  expect(
    await server.call('POST', '/api/admin/categories', { token: admin, body: { name: 'Concurrency tools' } }),
  ).toMatchObject({
    status: 201,
  });
});

afterAll(async () => {
  await server.stop();
});

const submission = (name: string) => ({
  plan: 'standard',
  name,
  url: `https://${name.toLowerCase().replaceAll(' ', '-')}.example.com`,
  description: 'Something to try.',
  categories: ['concurrency-tools'],
  pricing_type: 'free',
});

const pending = async (name: string, token = admin): Promise<string> => {
  const response = await server.call('POST', '/api/projects', { token, body: submission(name) });
  expect(response.status).toBe(201);
  return dataOf<{ id: string }>(response).id;
};

const live = async (name: string): Promise<string> => {
  const id = await pending(name);
  expect((await server.call('PUT', `/api/admin/projects/${id}/approve`, { token: admin })).status).toBe(200);
  return id;
};

const users = (count: number, prefix: string) =>
  Promise.all(Array.from({ length: count }, (_, n) => server.token({ email: `${prefix}${n}@example.com` })));

interface Seen {
  upvote_count: number;
  average_rating: number;
  ratings_count: number;
  comments_count: number;
  viewer?: { upvoted: boolean; rating: number | null };
}

const read = async (id: string, token?: string) =>
  dataOf<Seen>(await server.call('GET', `/api/projects/${id}`, token ? { token } : {}));

longTest('counts exactly 50 when 50 users vote concurrently', async () => {
  const id = await live('Fifty Votes');
  const tokens = await users(50, 'voter');
  const responses = await Promise.all(
    tokens.map((token) => server.call('POST', `/api/projects/${id}/upvote`, { token })),
  );
  expect(responses.map((response) => response.status)).toEqual(Array(50).fill(200));
  expect((await read(id)).upvote_count).toBe(50);
});

longTest('returns the stored vote after one user toggles 20 times concurrently', async () => {
  const id = await live('Twenty Toggles');
  const [token] = (await users(1, 'fidget')) as [string];
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => server.call('POST', `/api/projects/${id}/upvote`, { token })),
  );
  expect(responses.map((response) => response.status)).toEqual(Array(20).fill(200));
  // The only vote is the user's own, so the count of each response follows from its mark.
  const results = responses.map((response) => dataOf<{ upvoted: boolean; upvote_count: number }>(response));
  expect(results.map(({ upvote_count }) => upvote_count)).toEqual(results.map(({ upvoted }) => (upvoted ? 1 : 0)));
  const seen = await read(id, token);
  expect([0, 1]).toContain(seen.upvote_count);
  expect(seen.viewer?.upvoted).toBe(seen.upvote_count === 1);
});

longTest(
  'returns figures that agree with the rating when one user rates and removes the rating concurrently',
  async () => {
    const id = await live('Undecided Critic');
    const [token] = (await users(1, 'undecided')) as [string];
    const path = `/api/projects/${id}/ratings`;
    const responses = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        n % 3 === 2
          ? server.call('DELETE', path, { token })
          : server.call('POST', path, { token, body: { rating: n % 3 === 0 ? 1 : 5 } }),
      ),
    );
    expect(responses.map((response) => response.status)).toEqual(Array(24).fill(200));
    type Rated = { rating: number | null; average_rating: number; ratings_count: number };
    const results = responses.map((response) => dataOf<Rated>(response));
    expect(results).toEqual(
      results.map(({ rating }) => ({ rating, average_rating: rating ?? 0, ratings_count: rating === null ? 0 : 1 })),
    );
  },
);

it('accepts one of two concurrent approvals, with one event and one email', async () => {
  const submitter = await server.token({ email: 'hopeful@example.com', name: 'Hopeful' });
  const id = await pending('Twice Approved', submitter);
  const other = await server.token({ email: 'second@example.com', admin: true });
  const responses = await Promise.all(
    [admin, other].map((token) => server.call('PUT', `/api/admin/projects/${id}/approve`, { token })),
  );
  expect(responses.map((response) => response.status).sort()).toEqual([200, 409]);
  expect(responses.find((response) => response.status === 409)?.body).toMatchObject({ code: 'INVALID_TRANSITION' });

  // Later outbox items have been published, so no event of the approval is pending.
  await live('A Later One');
  await server.until(async () => (await server.mails()).some((mail) => mail.subject.includes('A Later One is live')));
  const events = (await server.events()).filter(
    (event) => event.kind === 'projectApproved' && (event.data as { project_id: string }).project_id === id,
  );
  expect(events).toHaveLength(1);
  const mails = (await server.mails()).filter((mail) => mail.subject === 'Twice Approved is live');
  expect(mails.map((mail) => mail.to)).toEqual(['hopeful@example.com']);
});

longTest('keeps average and count of ratings exact while users rate and change their ratings', async () => {
  const id = await live('Much Rated');
  const tokens = await users(20, 'critic');
  const rate = (token: string, rating: number) =>
    server.call('POST', `/api/projects/${id}/ratings`, { token, body: { rating } });
  await Promise.all(tokens.flatMap((token, n) => [rate(token, (n % 5) + 1), rate(token, ((n + 2) % 5) + 1)]));
  const stored = await Promise.all(tokens.map(async (token) => (await read(id, token)).viewer?.rating ?? 0));
  const seen = await read(id);
  const mean = stored.reduce((sum, rating) => sum + rating, 0) / stored.length;
  expect(seen.ratings_count).toBe(20);
  expect(seen.average_rating).toBe(Math.round(mean * 100) / 100);
});

longTest('gives 30 concurrent projects of the same name unique slugs', async () => {
  const ids = await Promise.all(Array.from({ length: 30 }, () => pending('Same Name')));
  const slugs = await Promise.all(
    ids.map(
      async (id) => dataOf<{ slug: string }>(await server.call('GET', `/api/projects/${id}`, { token: admin })).slug,
    ),
  );
  expect(new Set(slugs).size).toBe(30);
  expect(slugs).toContain('same-name');
});

it('gives a slug that 10 requests claim concurrently to exactly one of them', async () => {
  const responses = await Promise.all(
    Array.from({ length: 10 }, () =>
      server.call('POST', '/api/projects', { token: admin, body: { ...submission('Contested'), slug: 'the-one' } }),
    ),
  );
  expect(responses.filter((response) => response.status === 201)).toHaveLength(1);
  expect(responses.filter((response) => response.status === 409)).toHaveLength(9);
});

it('accepts one of two concurrent updates with the same If-Match', async () => {
  const id = await live('Edited Twice');
  const tag = (await server.call('GET', `/api/projects/${id}`)).headers.get('etag') ?? '';
  const save = (description: string) =>
    server.call('PUT', `/api/projects/${id}`, { token: admin, body: { description }, headers: { 'if-match': tag } });
  const responses = await Promise.all([save('First.'), save('Second.')]);
  expect(responses.map((response) => response.status).sort()).toEqual([200, 412]);
});

longTest('merges concurrent edits of different fields', async () => {
  const id = await live('Merged');
  const fields = {
    description: 'New words.',
    tags: ['merged'],
    address_city: 'Bern',
    pricing_type: 'paid',
    video_url: 'https://v.example',
  };
  await Promise.all(
    Object.entries(fields).map(([field, value]) =>
      server.call('PUT', `/api/projects/${id}`, { token: admin, body: { [field]: value } }),
    ),
  );
  expect(await read(id)).toMatchObject(fields);
});

longTest('counts comments exactly while they are added and deleted', async () => {
  const id = await live('Discussed');
  const tokens = await users(10, 'talker');
  const added = await Promise.all(
    tokens.flatMap((token) =>
      ['One.', 'Two.'].map((content) =>
        server.call('POST', `/api/projects/${id}/comments`, { token, body: { content } }),
      ),
    ),
  );
  expect(added.every((response) => response.status === 201)).toBe(true);
  const ids = added.map((response) => dataOf<{ id: string }>(response).id);
  await Promise.all(
    ids
      .slice(0, 7)
      .flatMap((comment) =>
        [1, 2].map(() => server.call('DELETE', `/api/projects/${id}/comments/${comment}`, { token: admin })),
      ),
  );
  expect((await read(id)).comments_count).toBe(13);
  const { body } = await server.call('GET', `/api/projects/${id}/comments?limit=100`);
  expect(body).toMatchObject({ meta: { total: 13 } });
  expect(dataOf<unknown[]>({ body })).toHaveLength(13);
});
