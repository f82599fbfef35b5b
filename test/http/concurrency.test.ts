import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataOf } from '#test/support/fixtures.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** What holds when many do the same thing at the same moment. */

let world: TestWorld;
let admin: string;

beforeAll(async () => {
  world = await startTestWorld();
  admin = await world.token({ email: 'root@example.com', admin: true });
  await world.call('POST', '/api/admin/categories', { token: admin, body: { name: 'Tools' } });
});

afterAll(async () => {
  await world.stop();
});

const submission = (name: string) => ({
  plan: 'standard',
  name,
  url: `https://${name.toLowerCase().replaceAll(' ', '-')}.example.com`,
  description: 'Something to try.',
  categories: ['tools'],
  pricing_type: 'free',
});

const pending = async (name: string, token = admin): Promise<string> => {
  const answer = await world.call('POST', '/api/projects', { token, body: submission(name) });
  expect(answer.status).toBe(201);
  return dataOf<{ id: string }>(answer).id;
};

const live = async (name: string): Promise<string> => {
  const id = await pending(name);
  expect((await world.call('PUT', `/api/admin/projects/${id}/approve`, { token: admin })).status).toBe(200);
  return id;
};

const users = (count: number, prefix: string) =>
  Promise.all(Array.from({ length: count }, (_, n) => world.token({ email: `${prefix}${n}@example.com` })));

interface Seen {
  upvote_count: number;
  average_rating: number;
  ratings_count: number;
  comments_count: number;
  viewer?: { upvoted: boolean; rating: number | null };
}

const read = async (id: string, token?: string) =>
  dataOf<Seen>(await world.call('GET', `/api/projects/${id}`, token ? { token } : {}));

it('counts exactly 50 when 50 users vote at once', async () => {
  const id = await live('Fifty Votes');
  const tokens = await users(50, 'voter');
  const answers = await Promise.all(tokens.map((token) => world.call('POST', `/api/projects/${id}/upvote`, { token })));
  expect(answers.map((answer) => answer.status)).toEqual(Array(50).fill(200));
  expect((await read(id)).upvote_count).toBe(50);
});

it('agrees with the stored vote after one user toggles 20 times at once', async () => {
  const id = await live('Twenty Toggles');
  const [token] = (await users(1, 'fidget')) as [string];
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => world.call('POST', `/api/projects/${id}/upvote`, { token })),
  );
  expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200));
  const seen = await read(id, token);
  expect([0, 1]).toContain(seen.upvote_count);
  expect(seen.viewer?.upvoted).toBe(seen.upvote_count === 1);
});

it('lets one of two administrators approve, with one event and one mail', async () => {
  const submitter = await world.token({ email: 'hopeful@example.com', name: 'Hopeful' });
  const id = await pending('Twice Approved', submitter);
  const other = await world.token({ email: 'second@example.com', admin: true });
  const answers = await Promise.all(
    [admin, other].map((token) => world.call('PUT', `/api/admin/projects/${id}/approve`, { token })),
  );
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
  expect(answers.find((answer) => answer.status === 409)?.body).toMatchObject({ code: 'INVALID_TRANSITION' });

  // What comes after the approval in the outbox has passed, so nothing of it is still on its way.
  await live('A Later One');
  await world.until(async () => (await world.mails()).some((mail) => mail.subject.includes('A Later One is live')));
  const events = (await world.events()).filter(
    (event) => event.kind === 'projectApproved' && (event.data as { project_id: string }).project_id === id,
  );
  expect(events).toHaveLength(1);
  const mails = (await world.mails()).filter((mail) => mail.subject === 'Twice Approved is live');
  expect(mails.map((mail) => mail.to)).toEqual(['hopeful@example.com']);
});

it('keeps average and count of ratings exact while users rate and change their minds', async () => {
  const id = await live('Much Rated');
  const tokens = await users(20, 'critic');
  const rate = (token: string, rating: number) =>
    world.call('POST', `/api/projects/${id}/ratings`, { token, body: { rating } });
  await Promise.all(tokens.flatMap((token, n) => [rate(token, (n % 5) + 1), rate(token, ((n + 2) % 5) + 1)]));
  const stored = await Promise.all(tokens.map(async (token) => (await read(id, token)).viewer?.rating ?? 0));
  const seen = await read(id);
  const mean = stored.reduce((sum, rating) => sum + rating, 0) / stored.length;
  expect(seen.ratings_count).toBe(20);
  expect(seen.average_rating).toBe(Math.round(mean * 100) / 100);
});

it('gives every one of 30 projects of one name a slug of its own', async () => {
  const ids = await Promise.all(Array.from({ length: 30 }, () => pending('Same Name')));
  const slugs = await Promise.all(
    ids.map(
      async (id) => dataOf<{ slug: string }>(await world.call('GET', `/api/projects/${id}`, { token: admin })).slug,
    ),
  );
  expect(new Set(slugs).size).toBe(30);
  expect(slugs).toContain('same-name');
});

it('gives a slug that 10 ask for at once to exactly one of them', async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      world.call('POST', '/api/projects', { token: admin, body: { ...submission('Contested'), slug: 'the-one' } }),
    ),
  );
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
  expect(answers.filter((answer) => answer.status === 409)).toHaveLength(9);
});

it('loses no edit when two owners of a form save at once with If-Match', async () => {
  const id = await live('Edited Twice');
  const tag = (await world.call('GET', `/api/projects/${id}`)).headers.get('etag') ?? '';
  const save = (description: string) =>
    world.call('PUT', `/api/projects/${id}`, { token: admin, body: { description }, headers: { 'if-match': tag } });
  const answers = await Promise.all([save('First.'), save('Second.')]);
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412]);
});

it('merges edits of different fields that are made at once', async () => {
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
      world.call('PUT', `/api/projects/${id}`, { token: admin, body: { [field]: value } }),
    ),
  );
  expect(await read(id)).toMatchObject(fields);
});

it('counts comments exactly while they come and go', async () => {
  const id = await live('Discussed');
  const tokens = await users(10, 'talker');
  const added = await Promise.all(
    tokens.flatMap((token) =>
      ['One.', 'Two.'].map((content) =>
        world.call('POST', `/api/projects/${id}/comments`, { token, body: { content } }),
      ),
    ),
  );
  expect(added.every((answer) => answer.status === 201)).toBe(true);
  const ids = added.map((answer) => dataOf<{ id: string }>(answer).id);
  await Promise.all(
    ids
      .slice(0, 7)
      .flatMap((comment) =>
        [1, 2].map(() => world.call('DELETE', `/api/projects/${id}/comments/${comment}`, { token: admin })),
      ),
  );
  expect((await read(id)).comments_count).toBe(13);
  const { body } = await world.call('GET', `/api/projects/${id}/comments?limit=100`);
  expect(body).toMatchObject({ meta: { total: 13 } });
  expect(dataOf<unknown[]>({ body })).toHaveLength(13);
});
