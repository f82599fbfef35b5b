import { expect, it } from 'vitest';
import { untilEventsDelivered } from '#test/support/events.ts';
import { conflict, dataOf, type Person, person, submission, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();

const live = async (): Promise<string> => (await directory.live(directory.admin)).id;
const people = (count: number) => Promise.all(Array.from({ length: count }, () => person(server)));
const statusesOf = (responses: readonly { status: number }[]) => responses.map(({ status }) => status).toSorted();

longTest('fifty concurrent votes by as many users are counted exactly', async () => {
  const id = await live();
  const votes = (await people(50)).map((user) => directory.as(user, 'POST', `/api/projects/${id}/upvote`));
  expect(statusesOf(await Promise.all(votes))).toEqual(Array(50).fill(200));
  expect((await directory.read(id)).upvote_count).toBe(50);
});

longTest('twenty concurrent toggles of a vote return the stored vote each', async () => {
  const id = await live();
  const user = await person(server);
  const toggle = () => directory.ok(user, 'POST', `/api/projects/${id}/upvote`);
  const responses = await Promise.all(Array.from({ length: 20 }, toggle));
  // The only vote is the user's own, so the count of each response follows from its mark.
  const results = responses.map((response) => dataOf<{ upvoted: boolean; upvote_count: number }>(response));
  expect(results.map(({ upvote_count }) => upvote_count)).toEqual(results.map(({ upvoted }) => (upvoted ? 1 : 0)));
  const seen = await directory.read(id, user);
  expect([0, 1]).toContain(seen.upvote_count);
  expect(seen.viewer?.upvoted).toBe(seen.upvote_count === 1);
});

longTest('concurrent changes and removals of a rating return figures that agree with it', async () => {
  const id = await live();
  const user = await person(server);
  const path = `/api/projects/${id}/ratings`;
  const responses = await Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      n % 3 === 2
        ? directory.ok(user, 'DELETE', path)
        : directory.ok(user, 'POST', path, { rating: n % 3 === 0 ? 1 : 5 }),
    ),
  );
  type Rated = { rating: number | null; average_rating: number; ratings_count: number };
  const results = responses.map((response) => dataOf<Rated>(response));
  expect(results).toEqual(
    results.map(({ rating }) => ({ rating, average_rating: rating ?? 0, ratings_count: rating === null ? 0 : 1 })),
  );
});

it('one of two concurrent approvals is accepted, with one event and one email', async () => {
  const [submitter, other] = [await person(server), await person(server, { admin: true })];
  const name = unique('Twice Approved');
  const { id } = await directory.submit(submitter, { name });
  const approvals = [directory.admin, other].map((who) =>
    directory.as(who, 'PUT', `/api/admin/projects/${id}/approve`),
  );
  const responses = await Promise.all(approvals);
  expect(statusesOf(responses)).toEqual([200, 409]);
  expect(responses.find(({ status }) => status === 409)).toMatchObject(conflict('INVALID_TRANSITION'));

  await untilEventsDelivered(server, directory);
  const events = (await server.events()).filter(
    ({ kind, data }) => kind === 'projectApproved' && (data as { project_id: string }).project_id === id,
  );
  expect(events).toHaveLength(1);
  const mails = (await server.mails()).filter(({ subject }) => subject === `${name} is live`);
  expect(mails.map(({ to }) => to)).toEqual([submitter.email]);
});

longTest('concurrent ratings keep average and count exact', async () => {
  const id = await live();
  const users = await people(20);
  const rate = (user: Person, rating: number) => directory.ok(user, 'POST', `/api/projects/${id}/ratings`, { rating });
  await Promise.all(users.flatMap((user, n) => [rate(user, (n % 5) + 1), rate(user, ((n + 2) % 5) + 1)]));
  const stored = await Promise.all(users.map(async (user) => (await directory.read(id, user)).viewer?.rating ?? 0));
  const mean = stored.reduce((sum, rating) => sum + rating, 0) / stored.length;
  expect(await directory.read(id)).toMatchObject({ ratings_count: 20, average_rating: Math.round(mean * 100) / 100 });
});

longTest('thirty concurrent submissions of the same name get unique slugs', async () => {
  const name = unique('same-name');
  const submitted = await Promise.all(Array.from({ length: 30 }, () => directory.submit(directory.admin, { name })));
  const slugs = submitted.map(({ slug }) => slug);
  expect(new Set(slugs).size).toBe(30);
  expect(slugs).toContain(name);
});

it('a slug that ten requests claim concurrently belongs to one of them', async () => {
  const slug = unique('the-one');
  const body = { ...submission({ categories: [directory.category] }), slug };
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => directory.asAdmin('POST', '/api/projects', body)),
  );
  expect(statusesOf(responses)).toEqual([201, ...Array(9).fill(409)]);
});

it('one of two concurrent updates with the same If-Match is accepted', async () => {
  const path = `/api/projects/${await live()}`;
  const headers = { 'if-match': (await directory.get(path)).headers.get('etag') ?? '' };
  const save = (description: string) => directory.asAdmin('PUT', path, { description }, headers);
  expect(statusesOf(await Promise.all([save('First.'), save('Second.')]))).toEqual([200, 412]);
});

longTest('concurrent edits of different fields are all kept', async () => {
  const id = await live();
  const texts = { description: 'New words.', address_city: 'Bern', video_url: 'https://v.example' };
  const fields = { ...texts, tags: ['merged'], pricing_type: 'paid' };
  const edits = Object.entries(fields).map(([field, value]) =>
    directory.asAdmin('PUT', `/api/projects/${id}`, { [field]: value }),
  );
  await Promise.all(edits);
  expect(await directory.read(id)).toMatchObject(fields);
});

longTest('comments are counted exactly while they are added and deleted', async () => {
  const id = await live();
  const path = `/api/projects/${id}/comments`;
  const bodies = ['One.', 'Two.'].map((content) => ({ content }));
  const users = await people(10);
  const added = await Promise.all(
    users.flatMap((user) => bodies.map((one) => directory.ok(user, 'POST', path, one, 201))),
  );
  const ids = added.map((response) => dataOf<{ id: string }>(response).id);
  const deletions = ids.slice(0, 7).flatMap((one) => [1, 2].map(() => directory.asAdmin('DELETE', `${path}/${one}`)));
  await Promise.all(deletions);
  expect((await directory.read(id)).comments_count).toBe(13);
  const { body } = await directory.get(`${path}?limit=100`);
  expect(body).toMatchObject({ meta: { total: 13 } });
  expect(dataOf<unknown[]>({ body })).toHaveLength(13);
});
