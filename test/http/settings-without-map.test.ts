import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataOf, NOT_FOUND } from '#test/support/fixtures.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** What front ends are told while parts are switched off. */

let world: TestWorld;

beforeAll(async () => {
  world = await startTestWorld({
    env: { FEATURE_MAP: 'off', FEATURE_PROMOTIONS: 'off', PREMIUM_PRICE: '12300', CURRENCY: 'EUR' },
  });
});

afterAll(async () => {
  await world.stop();
});

it('speaks of nothing that is switched off, and of the prices of this environment', async () => {
  const site = dataOf<{ features: string[]; plans: object[] }>(await world.call('GET', '/api/settings'));
  expect(site).not.toHaveProperty('map');
  expect(site).not.toHaveProperty('promotion_prices');
  expect(site.features).toEqual(['comments', 'ratings', 'email', 'analytics', 'webhooks']);
  expect(site.plans).toContainEqual({ id: 'premium', price: 12_300, currency: 'eur' });
});

it('has no map to configure', async () => {
  const token = await world.token({ email: 'root@example.com', admin: true });
  expect(await world.call('GET', '/api/admin/map', { token })).toMatchObject(NOT_FOUND);
  expect(await world.call('PUT', '/api/admin/map', { token, body: { lighting: 'day' } })).toMatchObject(NOT_FOUND);
  expect(await world.call('GET', '/api/admin/layout', { token })).toMatchObject({ status: 200 });
});
