import { expect, it } from 'vitest';
import { tiers } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { freshAddress, pathOf } from '#test/support/requests.ts';
import { sampleOf } from '#test/support/sample.ts';
import { ownServer } from '#test/support/with-directory.ts';

/** Rate limiting of every route in the table. */

const named = routes.map((route) => ({ id: route.id, route }));

const server = await ownServer({
  env: {
    FEATURE_AI: 'on',
    ...Object.fromEntries(tiers.map((tier) => [`RATE_LIMIT_${tier.toUpperCase()}`, '1/900000'])),
  },
});
const token = await server.token({ email: 'eager@example.com', admin: true });

it.each(
  sampleOf(
    named.filter(({ route }) => route.tier !== 'none'),
    2,
  ),
)('$id counts on its own tier and returns 429 with retryAfter beyond the limit', async ({ route }) => {
  const options = { token, headers: { 'x-forwarded-for': freshAddress() } };
  const first = await server.call(route.method, pathOf(route), options);
  expect(first.status).not.toBe(429);
  expect(first.headers.get('ratelimit-policy')).toBe(`"${route.tier}";q=1;w=900000`);
  expect(first.headers.get('ratelimit')).toMatch(new RegExp(`^"${route.tier}";r=0;t=\\d+$`));

  const second = await server.call(route.method, pathOf(route), options);
  expect(second.status).toBe(429);
  expect(second.body).toEqual({
    error: 'Too many requests',
    code: 'RATE_LIMITED',
    retryAfter: Number(second.headers.get('retry-after')),
  });
  expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);

  const otherTier = named.find((entry) => entry.route.tier !== 'none' && entry.route.tier !== route.tier);
  const other = await server.call(otherTier?.route.method ?? 'GET', pathOf(otherTier?.route ?? route), options);
  expect(other.status).not.toBe(429);
});
