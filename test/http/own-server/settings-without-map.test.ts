import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataOf, NOT_FOUND } from '#test/support/fixtures.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';
import { featureToSwitchOff } from '#test/support/without-feature.ts';

const env = { FEATURE_MAP: 'off', FEATURE_PROMOTIONS: 'off', PREMIUM_PRICE: '12300', CURRENCY: 'EUR' };

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ env });
});

afterAll(async () => {
  await server.stop();
});

it('omits disabled features and contains the configured prices', async () => {
  const site = dataOf<{ features: string[]; plans: object[] }>(await server.call('GET', '/api/settings'));
  expect(site).not.toHaveProperty('map');
  expect(site).not.toHaveProperty('promotion_prices');
  const enabled = ['comments', 'ratings', 'email', 'analytics', 'webhooks', 'moderators'];
  expect(site.features).toEqual(enabled.filter((feature) => feature !== featureToSwitchOff(env)));
  expect(site.plans).toContainEqual({ id: 'premium', price: 12_300, currency: 'eur' });
});

it('returns 404 for the settings of a disabled feature', async () => {
  const token = await server.token({ email: 'root@example.com', admin: true });
  expect(await server.call('GET', '/api/admin/map', { token })).toMatchObject(NOT_FOUND);
  expect(await server.call('PUT', '/api/admin/map', { token, body: { lighting: 'day' } })).toMatchObject(NOT_FOUND);
  expect(await server.call('GET', '/api/admin/layout', { token })).toMatchObject({ status: 200 });
});
