import { expect, it } from 'vitest';
import { type Directory, dataOf, idsOf, NOT_FOUND, person, UNAUTHORIZED } from '#test/support/fixtures.ts';
import type { TestServer } from '#test/support/server.ts';
import { withDirectory } from '#test/support/with-directory.ts';

/** A user who exports their data and then erases their account. */

let server: TestServer;
let directory: Directory;

withDirectory((opened) => {
  ({ server, directory } = opened);
});

it('a user can export all their data, and nothing personal remains after the erasure', async () => {
  const author = await person(server);
  const user = await person(server, { name: 'Fabian Forget' });
  const as = (method: string, path: string, body?: unknown) => directory.as(user, method, path, body);

  // The user has a profile, a project, a vote, a rating and a comment.
  expect(
    await as('PUT', '/api/user/profile', { bio: 'I bake bread.', website: 'https://fabian.example' }),
  ).toMatchObject({ status: 200 });
  const other = await directory.live(author, { name: 'Of Another Owner' });
  const own = await directory.live(user, { name: 'Bread at Home' });
  expect(await as('POST', `/api/projects/${other.id}/upvote`)).toMatchObject({ status: 200 });
  expect(await as('POST', `/api/projects/${other.id}/ratings`, { rating: 2 })).toMatchObject({ status: 200 });
  expect(await as('POST', `/api/projects/${other.id}/comments`, { content: 'Too little salt.' })).toMatchObject({
    status: 201,
  });
  expect(await directory.as(author, 'POST', `/api/projects/${other.id}/ratings`, { rating: 5 })).toMatchObject({
    status: 200,
  });
  expect(await directory.read(other.id)).toMatchObject({ upvote_count: 1, ratings_count: 2, average_rating: 3.5 });

  // The export contains all of it.
  const file = await as('GET', '/api/user/export');
  expect(file.status).toBe(200);
  expect(file.headers.get('content-disposition')).toMatch(/attachment; filename=".+\.json"/);
  expect(dataOf(file)).toMatchObject({
    profile: { id: user.id, email: user.email, name: 'Fabian Forget', bio: 'I bake bread.' },
    projects: [{ id: own.id, name: 'Bread at Home' }],
    votes: [{ project_id: other.id }],
    ratings: [{ project_id: other.id, rating: 2 }],
    comments: [{ project_id: other.id, content: 'Too little salt.' }],
  });

  // After the erasure the token is rejected although it has not expired.
  expect(await as('DELETE', '/api/user')).toMatchObject({ status: 200, body: { data: { id: user.id } } });
  for (const path of ['/api/user/profile', '/api/user/export', '/api/me/submissions'])
    expect(await as('GET', path)).toMatchObject(UNAUTHORIZED);
  expect(await as('POST', `/api/projects/${other.id}/upvote`)).toMatchObject(UNAUTHORIZED);

  // The votes and ratings are removed from the counters.
  await server.until(async () => (await directory.read(other.id)).upvote_count === 0);
  await server.until(async () => (await directory.read(other.id)).ratings_count === 1);
  expect(await directory.read(other.id)).toMatchObject({ average_rating: 5, comments_count: 1 });

  // Comments stay without a name, and projects stay.
  const comments = await directory.get(`/api/projects/${other.id}/comments`);
  expect(dataOf(comments)).toMatchObject([{ content: 'Too little salt.', user: { name: null, avatar_url: null } }]);
  expect(await directory.read(own.id)).toMatchObject({ name: 'Bread at Home', status: 'live' });

  // Administrators cannot find the user either.
  const found = await directory.adminOk('GET', `/api/admin/users?q=${encodeURIComponent('fabian')}`);
  expect(idsOf(found)).toEqual([]);
  expect(await directory.as(directory.admin, 'PUT', `/api/admin/users/${user.id}`, { role: 'admin' })).toMatchObject(
    NOT_FOUND,
  );
  for (const path of ['/api/admin/users?limit=100', '/api/admin/events?limit=100', '/api/admin/audit?limit=100']) {
    const text = JSON.stringify((await directory.adminOk('GET', path)).body);
    for (const trace of ['Fabian', user.email, 'fabian.example', 'I bake bread.']) expect(text).not.toContain(trace);
  }
});

it("an erasure with projects=delete deletes the user's projects", async () => {
  const user = await person(server);
  const { id } = await directory.live(user);
  expect(await directory.as(user, 'DELETE', '/api/user?projects=delete')).toMatchObject({ status: 200 });
  await server.until(async () => (await directory.get(`/api/projects/${id}`)).status === 404);
  await server.until(async () => !idsOf(await directory.get('/api/projects?limit=100')).includes(id));
});
