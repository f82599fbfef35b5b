import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** What somebody who means harm, or two who mean well at the same moment, cannot break. */

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

const submit = async (more: object) =>
  await world.call('POST', '/api/projects', {
    token: admin,
    body: {
      plan: 'standard',
      name: 'Hard',
      url: 'https://hard.example.com',
      description: 'Not easily broken.',
      categories: ['tools'],
      pricing_type: 'free',
      ...more,
    },
  });

const idOf = (answer: { body: unknown }): string => (answer.body as { data: { id: string } }).data.id;

it('refuses a time whose offset leads out of the years with four digits, and stays readable', async () => {
  const id = idOf(await submit({}));
  for (const deleted_at of ['9999-12-31T23:59:59-12:00', '0000-01-01T00:00:00+14:00', '2026-02-30T00:00:00Z']) {
    const answer = await world.call('PUT', `/api/admin/projects/${id}`, { token: admin, body: { deleted_at } });
    expect([deleted_at, answer.status]).toEqual([deleted_at, 400]);
  }
  expect((await world.call('GET', '/api/admin/projects?status=all', { token: admin })).status).toBe(200);
});

it('leaves no slug claimed without a project when a rename meets a purge', async () => {
  const pairs = Array.from({ length: 20 }, (_, n) => `moved-${n}`);
  await Promise.all(
    pairs.map(async (slug) => {
      const id = idOf(await submit({}));
      await Promise.all([
        world.call('PUT', `/api/projects/${id}`, { token: admin, body: { slug } }),
        world.call('DELETE', `/api/admin/projects/${id}`, { token: admin }),
      ]);
      expect((await world.call('GET', `/api/projects/${id}`, { token: admin })).status).toBe(404);
    }),
  );
  const taken = await Promise.all(pairs.map(async (slug) => (await submit({ slug })).status));
  expect(taken).toEqual(pairs.map(() => 201));
});

it('keeps no more than twenty earlier slugs of a project', async () => {
  const id = idOf(await submit({ slug: 'first-of-many' }));
  const rename = (slug: string) => world.call('PUT', `/api/projects/${id}`, { token: admin, body: { slug } });
  for (let n = 0; n < 20; n += 1) expect((await rename(`of-many-${n}`)).status).toBe(200);
  const refused = await rename('one-too-many');
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({ details: { slug: { _errors: [expect.any(String)] } } });
  // Back to one of its own is no new one.
  expect((await rename('of-many-3')).status).toBe(200);
});
