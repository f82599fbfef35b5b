import { afterAll, beforeAll, expect, it } from 'vitest';
import { longTest } from '#test/support/long-test.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';

/** Malicious input and race conditions. */

let server: TestServer;
let admin: string;

beforeAll(async () => {
  server = await startTestServer();
  admin = await server.token({ email: 'root@example.com', admin: true });
  const category = await server.call('POST', '/api/admin/categories', { token: admin, body: { name: 'Tools' } });
  expect(category.status).toBe(201);
});

afterAll(async () => {
  await server.stop();
});

const submit = async (overrides: object) =>
  await server.call('POST', '/api/projects', {
    token: admin,
    body: {
      plan: 'standard',
      name: 'Hard',
      url: 'https://hard.example.com',
      description: 'Not easily broken.',
      categories: ['tools'],
      pricing_type: 'free',
      ...overrides,
    },
  });

const idOf = (response: { body: unknown }): string => (response.body as { data: { id: string } }).data.id;

it('returns 400 for a time whose offset leads to a year without four digits', async () => {
  const id = idOf(await submit({}));
  for (const deleted_at of ['9999-12-31T23:59:59-12:00', '0000-01-01T00:00:00+14:00', '2026-02-30T00:00:00Z']) {
    const response = await server.call('PUT', `/api/admin/projects/${id}`, { token: admin, body: { deleted_at } });
    expect([deleted_at, response.status]).toEqual([deleted_at, 400]);
  }
  expect((await server.call('GET', '/api/admin/projects?status=all', { token: admin })).status).toBe(200);
});

longTest('frees the slug when a rename races with a purge', async () => {
  const slugs = Array.from({ length: 20 }, (_, n) => `moved-${n}`);
  await Promise.all(
    slugs.map(async (slug) => {
      const id = idOf(await submit({}));
      const [, purged] = await Promise.all([
        server.call('PUT', `/api/projects/${id}`, { token: admin, body: { slug } }),
        server.call('DELETE', `/api/admin/projects/${id}`, { token: admin }),
      ]);
      expect(purged.status).toBe(200);
      expect((await server.call('GET', `/api/projects/${id}`, { token: admin })).status).toBe(404);
    }),
  );
  const taken = await Promise.all(slugs.map(async (slug) => (await submit({ slug })).status));
  expect(taken).toEqual(slugs.map(() => 201));
});

longTest('returns 400 beyond twenty earlier slugs of a project', async () => {
  const id = idOf(await submit({ slug: 'first-of-many' }));
  const rename = (slug: string) => server.call('PUT', `/api/projects/${id}`, { token: admin, body: { slug } });
  for (let n = 0; n < 20; n += 1) expect((await rename(`of-many-${n}`)).status).toBe(200);
  const rejected = await rename('one-too-many');
  expect(rejected.status).toBe(400);
  expect(rejected.body).toMatchObject({ details: { slug: { _errors: [expect.any(String)] } } });
  // Returning to an earlier slug adds none.
  expect((await rename('of-many-3')).status).toBe(200);
});
