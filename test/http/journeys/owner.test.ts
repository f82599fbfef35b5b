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
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** The owner who edits and is rejected: he learns why, mends it, is let in, and looks after his listing. */

const CRON_SECRET = 'the-secret-of-this-test';

let world: TestWorld;
let directory: Directory;

withDirectory(
  (opened) => {
    ({ world, directory } = opened);
  },
  { env: { CRON_SECRET } },
);

it('is rejected with a reason, mends it, and is let in', async () => {
  const owner = await person(world, { name: 'Olga Owner' });
  const stranger = await person(world);
  const letters = async () => (await world.mails()).filter(({ to }) => to.includes(owner.email));
  const own = async () => dataOf<SeenProject[]>(await directory.get('/api/me/submissions', owner));

  // A first attempt, mended once while it waits.
  const { id } = await directory.submit(owner, { name: 'Olgas Tool', description: 'Buy now!!!' });
  const change = (fields: Record<string, unknown>, headers = {}) =>
    directory.as(owner, 'PUT', `/api/projects/${id}`, fields, headers);
  expect(await change({ tags: ['tool'] })).toMatchObject({ status: 200, body: { data: { status: 'pending' } } });
  expect(await change({ status: 'live' })).toMatchObject(FORBIDDEN);
  expect(await directory.get(`/api/projects/${id}`, stranger)).toMatchObject(NOT_FOUND);
  expect(await directory.as(stranger, 'PUT', `/api/projects/${id}`, { name: 'Mine' })).toMatchObject(NOT_FOUND);

  // Turned down, and told why: in the mailbox and beside the submission.
  const reason = 'Please say what it does.\nAnd no shouting.';
  await directory.done('PUT', `/api/admin/projects/${id}/reject`, { reason });
  await world.until(async () => (await letters()).some(({ subject }) => subject === 'Olgas Tool was not accepted'));
  const letter = (await letters()).find(({ subject }) => subject === 'Olgas Tool was not accepted');
  expect(letter?.text).toContain('Please say what it does.');
  expect(letter?.html).toContain('And no shouting.');
  await world.until(async () => (await own())[0]?.status === 'rejected');
  expect(await own()).toMatchObject([{ id, status: 'rejected', rejection_reason: reason }]);

  // Mended and sent in again; once, however often he presses.
  await change({ description: 'Counts what you count on.' });
  const again = () => directory.as(owner, 'POST', `/api/projects/${id}/resubmit`);
  expect(await directory.as(stranger, 'POST', `/api/projects/${id}/resubmit`)).toMatchObject(NOT_FOUND);
  expect(await again()).toMatchObject({ status: 200, body: { data: { status: 'pending', rejection_reason: null } } });
  expect(await again()).toMatchObject(conflict('INVALID_TRANSITION'));
  await directory.done('PUT', `/api/admin/projects/${id}/approve`);
  await world.until(async () => (await letters()).some(({ subject }) => subject === 'Olgas Tool is live'));
  expect(await directory.read('olgas-tool')).toMatchObject({ id, status: 'live', tags: ['tool'] });
});

it('looks after a live listing: renames it without breaking links, loses no change, reads how it does', async () => {
  const owner = await person(world);
  const { id, slug } = await directory.live(owner, { name: 'Before' });

  // Two windows are open; the one that saves last is told that it shows an old state.
  const open = await directory.get(`/api/projects/${id}`, owner);
  const headers = { 'if-match': open.headers.get('etag') ?? '' };
  const save = (fields: Record<string, unknown>) => directory.as(owner, 'PUT', `/api/projects/${id}`, fields, headers);
  const renamed = await save({ name: 'After', slug: 'after-all' });
  expect(renamed).toMatchObject({ status: 200, body: { data: { slug: 'after-all', status: 'live' } } });
  expect(await save({ name: 'Something else' })).toMatchObject(STALE);

  // Every link that was ever given out still leads to it, and nobody else can take the old one.
  expect(await directory.read(slug)).toMatchObject({ id, slug: 'after-all', name: 'After' });
  expect(await directory.read('after-all')).toMatchObject({ id });
  const taken = await directory.as(await person(world), 'POST', '/api/projects', {
    plan: 'standard',
    name: 'Squatter',
    slug,
    url: 'https://squatter.example.com',
    description: 'Wants the links.',
    categories: [directory.category],
    pricing_type: 'free',
  });
  expect(taken).toMatchObject(conflict('SLUG_TAKEN'));

  // Two people come by; he sees that they did, and others do not.
  for (const agent of [agents.chrome, agents.firefox]) {
    await world.call('POST', '/api/analytics/track', {
      body: { type: 'project_view', path: '/after-all', project_id: id },
      headers: { 'user-agent': agent },
    });
  }
  await world.call('POST', '/api/cron/roll-up-analytics', { token: CRON_SECRET });
  const path = `/api/analytics/projects/${id}?range=7d`;
  const { totals, traffic, browsers } = dataOf<AnalyticsReport>(await directory.get(path, owner));
  expect(totals).toMatchObject({ project_views: 2, visitors: 2 });
  expect(traffic).toHaveLength(7);
  expect(traffic.at(-1)).toMatchObject({ pageviews: 2 });
  expect(browsers.map(({ name }) => name).toSorted()).toEqual(['Chrome', 'Firefox']);
  expect(await directory.get(path, await person(world))).toMatchObject(FORBIDDEN);

  // In the end he takes it down, and it is gone for him as well.
  expect(await directory.as(owner, 'DELETE', `/api/projects/${id}`)).toMatchObject({ status: 200 });
  for (const who of [undefined, owner])
    expect(await directory.get('/api/projects/after-all', who)).toMatchObject(NOT_FOUND);
  expect(await directory.as(owner, 'DELETE', `/api/projects/${id}`)).toMatchObject(NOT_FOUND);
});
