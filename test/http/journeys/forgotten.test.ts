import { expect, it } from 'vitest';
import { type Directory, dataOf, idsOf, NOT_FOUND, person, UNAUTHORIZED } from '#test/support/fixtures.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** The person who asks for his data, and then to be forgotten. */

let world: TestWorld;
let directory: Directory;

withDirectory((opened) => {
  ({ world, directory } = opened);
});

it('gets all that is kept about him, and then nothing is', async () => {
  const author = await person(world);
  const user = await person(world, { name: 'Fabian Forget' });
  const as = (method: string, path: string, body?: unknown) => directory.as(user, method, path, body);

  // A life in the directory: a profile, a listing, a vote, a rating, a comment.
  await as('PUT', '/api/user/profile', { bio: 'I bake bread.', website: 'https://fabian.example' });
  const other = await directory.live(author, { name: 'Of Somebody Else' });
  const own = await directory.live(user, { name: 'Bread at Home' });
  await as('POST', `/api/projects/${other.id}/upvote`);
  await as('POST', `/api/projects/${other.id}/ratings`, { rating: 2 });
  await as('POST', `/api/projects/${other.id}/comments`, { content: 'Too little salt.' });
  await directory.as(author, 'POST', `/api/projects/${other.id}/ratings`, { rating: 5 });
  expect(await directory.read(other.id)).toMatchObject({ upvote_count: 1, ratings_count: 2, average_rating: 3.5 });

  // He asks what is known about him.
  const file = await as('GET', '/api/user/export');
  expect(file.status).toBe(200);
  expect(file.headers.get('content-disposition')).toMatch(/attachment; filename=".+\.json"/);
  expect(file.body).toMatchObject({
    profile: { id: user.id, email: user.email, name: 'Fabian Forget', bio: 'I bake bread.' },
    projects: [{ id: own.id, name: 'Bread at Home' }],
    votes: [{ project_id: other.id }],
    ratings: [{ project_id: other.id, rating: 2 }],
    comments: [{ project_id: other.id, content: 'Too little salt.' }],
  });

  // He asks to be forgotten. From then on his key, though it has not run out, opens nothing.
  expect(await as('DELETE', '/api/user')).toMatchObject({ status: 200, body: { data: { id: user.id } } });
  for (const path of ['/api/user/profile', '/api/user/export', '/api/me/submissions'])
    expect(await as('GET', path)).toMatchObject(UNAUTHORIZED);
  expect(await as('POST', `/api/projects/${other.id}/upvote`)).toMatchObject(UNAUTHORIZED);

  // His votes and ratings are gone, and the counts are right without them.
  await world.until(async () => (await directory.read(other.id)).upvote_count === 0);
  await world.until(async () => (await directory.read(other.id)).ratings_count === 1);
  expect(await directory.read(other.id)).toMatchObject({ average_rating: 5, comments_count: 1 });

  // What he wrote stays, without a name; so does what he listed.
  const comments = await directory.get(`/api/projects/${other.id}/comments`);
  expect(dataOf(comments)).toMatchObject([{ content: 'Too little salt.', user: { name: null, avatar_url: null } }]);
  expect(await directory.read(own.id)).toMatchObject({ name: 'Bread at Home', status: 'live' });

  // Nobody finds him any more, administrators included.
  const found = await directory.done('GET', `/api/admin/users?q=${encodeURIComponent('fabian')}`);
  expect(idsOf(found)).toEqual([]);
  expect(await directory.as(directory.admin, 'PUT', `/api/admin/users/${user.id}`, { role: 'admin' })).toMatchObject(
    NOT_FOUND,
  );
  for (const path of ['/api/admin/users?limit=100', '/api/admin/events?limit=100', '/api/admin/audit?limit=100']) {
    const text = JSON.stringify((await directory.done('GET', path)).body);
    for (const trace of ['Fabian', user.email, 'fabian.example', 'I bake bread.']) expect(text).not.toContain(trace);
  }
});

it('takes his listings along when he wants that', async () => {
  const user = await person(world);
  const { id } = await directory.live(user);
  expect(await directory.as(user, 'DELETE', '/api/user?projects=delete')).toMatchObject({ status: 200 });
  await world.until(async () => (await directory.get(`/api/projects/${id}`)).status === 404);
  await world.until(async () => !idsOf(await directory.get('/api/projects?limit=100')).includes(id));
});
