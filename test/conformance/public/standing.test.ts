import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Health } from '#contract/health.ts';
import { type Feature, features } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { type OpenApiDocument, visible } from '#shared/openapi/visible.ts';
import { openStage, type Stage } from '#test/conformance/stage.ts';
import { dataOf, NOT_FOUND } from '#test/support/fixtures.ts';
import { pathOf } from '#test/support/requests.ts';
import document from '../../../docs/openapi.json' with { type: 'json' };

/** Health, the OpenAPI document, unknown routes and CORS. */

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage.close());

const call = (...given: Parameters<Stage['client']['call']>) => stage.client.call(...given);
const named = routes.map((route) => ({ id: route.id, route }));

it('the service is healthy, with table and bus', async () => {
  const shallow = await call('GET', '/api/health');
  expect(shallow).toMatchObject({ status: 200, body: { data: { status: 'ok' } } });
  expect(shallow.headers.get('cache-control')).toBe('no-store');
  const deep = await call('GET', '/api/health?deep=1');
  expect(deep.status).toBe(200);
  expect(dataOf<Health>(deep).parts).toEqual({ table: 'ok', bus: 'ok' });
});

it('the service returns the OpenAPI document of this checkout without disabled features', async () => {
  const isOn = Object.fromEntries(features.map((feature) => [feature, stage.isOn(feature)]));
  const { body } = await call('GET', '/api/openapi.json');
  expect(body).toEqual(visible(document as unknown as OpenApiDocument, isOn as Record<Feature, boolean>));
});

it.each([
  ['GET', '/api/no-such-route'],
  ['GET', '/api/projects/x/y/z'],
  ['POST', '/api/admin/no-such-route'],
])('an unknown route is 404 in the shape of the contract: %s %s', async (method, path) => {
  const response = await call(method, path);
  expect({ status: response.status, body: response.body }).toEqual(NOT_FOUND);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
});

it.each([
  ['PATCH', '/api/projects', 'GET, HEAD, POST, OPTIONS'],
  ['DELETE', '/api/categories', 'GET, HEAD, OPTIONS'],
])('an unknown route is 405 with the methods of the path: %s %s', async (method, path, allow) => {
  const answer = await call(method, path);
  expect(answer).toMatchObject({ status: 405, body: { error: 'Method not allowed', code: 'METHOD_NOT_ALLOWED' } });
  expect(answer.headers.get('allow')).toBe(allow);
});

it.each(named.filter(({ route }) => route.feature !== undefined))(
  '$id is 404 exactly when its feature is disabled',
  async ({ route }) => {
    const response = await call(route.method, pathOf(route));
    // Without a credential, 404 may also mean that the resource does not exist.
    if (route.path.includes('{') && route.auth !== 'user' && route.auth !== 'admin') return;
    const isOn = stage.isOn(route.feature as Feature);
    expect([route.id, response.status === 404]).toEqual([route.id, !isOn]);
  },
);

const preflight = (method: string, path: string, origin: string) =>
  call('OPTIONS', path, {
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization, content-type, if-match, idempotency-key',
    },
  });

/** The key of IndexNow has an address that only the deployment knows. */
const withKnownPath = named.filter(({ id }) => id !== 'feeds.readIndexNowKey');

it.each(withKnownPath)('CORS allows configured origins to call $id', async ({ route }) => {
  for (const origin of stage.origins) {
    const { status, headers } = await preflight(route.method, pathOf(route), origin);
    expect(status).toBeLessThan(300);
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-allow-credentials')).toBe('true');
    expect(headers.get('access-control-allow-methods')).toContain(route.method);
    const allowed = (headers.get('access-control-allow-headers') ?? '').toLowerCase();
    for (const name of ['authorization', 'content-type', 'if-match', 'if-none-match', 'idempotency-key'])
      expect(allowed).toContain(name);
  }
});

it('CORS allows configured origins to read responses and errors', async () => {
  for (const origin of stage.origins) {
    for (const path of ['/api/projects?limit=1', '/api/no-such-route', '/api/user/profile']) {
      const { headers } = await call('GET', path, { headers: { origin } });
      expect([path, headers.get('access-control-allow-origin')]).toEqual([path, origin]);
      expect((headers.get('access-control-expose-headers') ?? '').toLowerCase()).toContain('x-request-id');
    }
  }
});

it('CORS allows no other origin', async () => {
  const origin = 'https://other.invalid';
  for (const { headers } of [
    await call('GET', '/api/projects?limit=1', { headers: { origin } }),
    await preflight('POST', '/api/projects', origin),
  ])
    expect(headers.get('access-control-allow-origin')).toBeNull();
});
