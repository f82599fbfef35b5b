import { expect, it } from 'vitest';
import { features } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { freshAddress, pathOf } from '#test/support/requests.ts';
import { ownServer } from '#test/support/with-directory.ts';

/** Disabled features, over every route of the table. */

const withFeature = routes.filter((route) => route.feature).map((route) => ({ id: route.id, route }));

const server = await ownServer({
  env: Object.fromEntries(features.map((feature) => [`FEATURE_${feature.toUpperCase()}`, 'off'])),
});

it.each(withFeature)('$id of a disabled feature returns 404 before any other check', async ({ route }) => {
  const authorization = `Bearer ${await server.token({ email: 'admin@example.com', admin: true })}`;
  const headers = { 'x-forwarded-for': freshAddress() };
  for (const credential of [{}, { authorization: 'Bearer nonsense' }, { authorization }]) {
    const response = await server.call(route.method, pathOf(route), { headers: { ...headers, ...credential } });
    expect(response.status).toBe(404);
    expect(response.body).toEqual({ error: 'Not found', code: 'NOT_FOUND' });
    // Not counted: rate limiting follows the feature check.
    expect(response.headers.get('ratelimit-policy')).toBeNull();
  }
});

it('moderators have no rights while their feature is disabled', async () => {
  const admin = await server.token({ email: 'admin@example.com', admin: true });
  const moderator = await server.token({ email: 'moderator@example.com' });
  const profile = await server.call('GET', '/api/user/profile', { token: moderator });
  const { id } = (profile.body as { data: { id: string } }).data;
  const named = await server.call('PUT', `/api/admin/users/${id}`, { token: admin, body: { role: 'moderator' } });
  expect(named.status).toBe(200);
  for (const route of routes.filter(({ moderators, feature }) => moderators && !feature)) {
    const headers = { 'x-forwarded-for': freshAddress() };
    const response = await server.call(route.method, pathOf(route), { token: moderator, headers });
    expect([route.id, response.status]).toEqual([route.id, 403]);
  }
});

it('filters by fields count as unknown while the feature is disabled, and orders and facets of them are 400', async () => {
  const filtered = await server.call('GET', '/api/projects?filter[unknown]=1&filter=1');
  expect(filtered.status).toBe(200);
  for (const query of ['sort=fields.price', 'facets=fields.price']) {
    expect((await server.call('GET', `/api/projects?${query}`)).status).toBe(400);
  }
});

it('only routes of disabled features are missing from the API reference', async () => {
  const { body } = await server.call('GET', '/api/openapi.json');
  const documented = Object.entries((body as { paths: Record<string, object> }).paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const expected = routes.filter((route) => !route.feature).map((route) => `${route.method} ${route.path}`);
  expect(documented.sort()).toEqual(expected.sort());
});
