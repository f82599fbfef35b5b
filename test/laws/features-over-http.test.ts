import { afterAll, beforeAll, expect, it } from 'vitest';
import { features } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { freshAddress, pathOf } from '#test/support/requests.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** What is switched off does not exist, over every route of the table. */

const gated = routes.filter((route) => route.feature).map((route) => ({ id: route.id, route }));

let without: TestWorld;

beforeAll(async () => {
  without = await startTestWorld({
    env: Object.fromEntries(features.map((feature) => [`FEATURE_${feature.toUpperCase()}`, 'off'])),
  });
});

afterAll(async () => {
  await without.stop();
});

it.each(gated)('$id of a switched-off feature is 404 before any other check', async ({ route }) => {
  const authorization = `Bearer ${await without.token({ email: 'boss@example.com', admin: true })}`;
  const headers = { 'x-forwarded-for': freshAddress() };
  for (const credential of [{}, { authorization: 'Bearer nonsense' }, { authorization }]) {
    const answer = await without.call(route.method, pathOf(route), { headers: { ...headers, ...credential } });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ error: 'Not found', code: 'NOT_FOUND' });
    // Neither counted nor limited: the limiter comes after the feature.
    expect(answer.headers.get('ratelimit-policy')).toBeNull();
  }
});

it('leaves the reference, and nothing else does', async () => {
  const { body } = await without.call('GET', '/api/openapi.json');
  const documented = Object.entries((body as { paths: Record<string, object> }).paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const expected = routes.filter((route) => !route.feature).map((route) => `${route.method} ${route.path}`);
  expect(documented.sort()).toEqual(expected.sort());
});
