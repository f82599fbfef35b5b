import { afterAll, beforeAll, expect, it } from 'vitest';
import { tiers } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { freshAddress, pathOf } from '#test/support/requests.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** The limiter, over every route of the table: each counts on its own tier. */

const named = routes.map((route) => ({ id: route.id, route }));

let limited: TestWorld;
let token: string;

beforeAll(async () => {
  limited = await startTestWorld({
    env: {
      FEATURE_AI: 'on',
      ...Object.fromEntries(tiers.map((tier) => [`RATE_LIMIT_${tier.toUpperCase()}`, '1/900000'])),
    },
  });
  token = await limited.token({ email: 'eager@example.com', admin: true });
});

afterAll(async () => {
  await limited.stop();
});

it.each(named.filter(({ route }) => route.tier !== 'none'))(
  '$id counts on its own tier and answers 429 with retryAfter beyond it',
  async ({ route }) => {
    const options = { token, headers: { 'x-forwarded-for': freshAddress() } };
    const first = await limited.call(route.method, pathOf(route), options);
    expect(first.status).not.toBe(429);
    expect(first.headers.get('ratelimit-policy')).toBe(`"${route.tier}";q=1;w=900000`);
    expect(first.headers.get('ratelimit')).toMatch(new RegExp(`^"${route.tier}";r=0;t=\\d+$`));

    const second = await limited.call(route.method, pathOf(route), options);
    expect(second.status).toBe(429);
    expect(second.body).toEqual({
      error: 'Too many requests',
      code: 'RATE_LIMITED',
      retryAfter: Number(second.headers.get('retry-after')),
    });
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);

    const elsewhere = named.find((one) => one.route.tier !== 'none' && one.route.tier !== route.tier);
    const other = await limited.call(elsewhere?.route.method ?? 'GET', pathOf(elsewhere?.route ?? route), options);
    expect(other.status).not.toBe(429);
  },
);
