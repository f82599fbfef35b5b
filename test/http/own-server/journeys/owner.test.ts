import { expect, it } from 'vitest';
import type { AnalyticsReport } from '#contract/analytics.ts';
import { agents } from '#test/support/analytics.ts';
import {
  conflict,
  type Directory,
  dataOf,
  FORBIDDEN,
  NOT_FOUND,
  person,
  type SeenProject,
  STALE,
} from '#test/support/fixtures.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

/** An owner whose listing is rejected, fixed and approved, and who then maintains it. */

const CRON_SECRET = 'the-secret-of-this-test';

let server: TestServer;
let directory: Directory;

withOwnServer(
  (opened) => {
    ({ server, directory } = opened);
  },
  { env: { CRON_SECRET } },
);

it('a rejected listing is approved after the owner fixes it', async () => {
  const owner = await person(server, { name: 'Olga Owner' });
  const stranger = await person(server);
  const letters = async () => (await server.mails()).filter(({ to }) => to.includes(owner.email));
  const own = async () => dataOf<SeenProject[]>(await directory.get('/api/me/submissions', owner));

  // A submission, edited while it is pending.
  const { id } = await directory.submit(owner, { name: 'Olgas Tool', description: 'Buy now!!!' });
  const change = (fields: Record<string, unknown>, headers = {}) =>
    directory.as(owner, 'PUT', `/api/projects/${id}`, fields, headers);
  expect(await change({ tags: ['tool'] })).toMatchObject({ status: 200, body: { data: { status: 'pending' } } });
  expect(await change({ status: 'live' })).toMatchObject(FORBIDDEN);
  expect(await directory.get(`/api/projects/${id}`, stranger)).toMatchObject(NOT_FOUND);
  expect(await directory.as(stranger, 'PUT', `/api/projects/${id}`, { name: 'Mine' })).toMatchObject(NOT_FOUND);

  // Rejected with a reason, by email and in the submission.
  const reason = 'Please say what it does.\nAnd no shouting.';
  await directory.adminOk('PUT', `/api/admin/projects/${id}/reject`, { reason });
  await server.until(async () => (await letters()).some(({ subject }) => subject === 'Olgas Tool was not accepted'));
  const letter = (await letters()).find(({ subject }) => subject === 'Olgas Tool was not accepted');
  expect(letter?.text).toContain('Please say what it does.');
  expect(letter?.html).toContain('And no shouting.');
  await server.until(async () => (await own())[0]?.status === 'rejected');
  expect(await own()).toMatchObject([{ id, status: 'rejected', rejection_reason: reason }]);

  // Fixed and resubmitted; repeated requests have no further effect.
  expect(await change({ description: 'Counts what you count on.' })).toMatchObject({ status: 200 });
  const again = () => directory.as(owner, 'POST', `/api/projects/${id}/resubmit`);
  expect(await directory.as(stranger, 'POST', `/api/projects/${id}/resubmit`)).toMatchObject(NOT_FOUND);
  expect(await again()).toMatchObject({ status: 200, body: { data: { status: 'pending', rejection_reason: null } } });
  expect(await again()).toMatchObject(conflict('INVALID_TRANSITION'));
  await directory.adminOk('PUT', `/api/admin/projects/${id}/approve`);
  await server.until(async () => (await letters()).some(({ subject }) => subject === 'Olgas Tool is live'));
  expect(await directory.read('olgas-tool')).toMatchObject({ id, status: 'live', tags: ['tool'] });
});

it('a live listing keeps its links after a rename, loses no concurrent change, and has analytics', async () => {
  const owner = await person(server);
  const { id, slug } = await directory.live(owner, { name: 'Before' });

  // Of two concurrent edits, the second is rejected as stale.
  const open = await directory.get(`/api/projects/${id}`, owner);
  const headers = { 'if-match': open.headers.get('etag') ?? '' };
  const save = (fields: Record<string, unknown>) => directory.as(owner, 'PUT', `/api/projects/${id}`, fields, headers);
  const renamed = await save({ name: 'After', slug: 'after-all' });
  expect(renamed).toMatchObject({ status: 200, body: { data: { slug: 'after-all', status: 'live' } } });
  expect(await save({ name: 'Something else' })).toMatchObject(STALE);

  // Earlier slugs still resolve, and no other project can claim them.
  expect(await directory.read(slug)).toMatchObject({ id, slug: 'after-all', name: 'After' });
  expect(await directory.read('after-all')).toMatchObject({ id });
  const taken = await directory.as(await person(server), 'POST', '/api/projects', {
    plan: 'standard',
    name: 'Squatter',
    slug,
    url: 'https://squatter.example.com',
    description: 'Wants the links.',
    categories: [directory.category],
    pricing_type: 'free',
  });
  expect(taken).toMatchObject(conflict('SLUG_TAKEN'));

  // Two visits are visible to the owner and not to others.
  for (const agent of [agents.chrome, agents.firefox]) {
    await server.call('POST', '/api/analytics/track', {
      body: { type: 'project_view', path: '/after-all', project_id: id },
      headers: { 'user-agent': agent },
    });
  }
  expect(await server.call('POST', '/api/cron/roll-up-analytics', { token: CRON_SECRET })).toMatchObject({
    status: 200,
  });
  const path = `/api/analytics/projects/${id}?range=7d`;
  const { totals, traffic, browsers } = dataOf<AnalyticsReport>(await directory.get(path, owner));
  expect(totals).toMatchObject({ project_views: 2, visitors: 2 });
  expect(traffic).toHaveLength(7);
  expect(traffic.at(-1)).toMatchObject({ pageviews: 2 });
  expect(browsers.map(({ name }) => name).toSorted()).toEqual(['Chrome', 'Firefox']);
  expect(await directory.get(path, await person(server))).toMatchObject(FORBIDDEN);

  // The owner deletes it and can no longer read it.
  expect(await directory.as(owner, 'DELETE', `/api/projects/${id}`)).toMatchObject({ status: 200 });
  for (const who of [undefined, owner])
    expect(await directory.get('/api/projects/after-all', who)).toMatchObject(NOT_FOUND);
  expect(await directory.as(owner, 'DELETE', `/api/projects/${id}`)).toMatchObject(NOT_FOUND);
});
