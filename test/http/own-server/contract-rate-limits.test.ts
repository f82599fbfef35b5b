import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import type { CallResponse } from '#test/support/client.ts';
import {
  category,
  dataOf,
  FORBIDDEN,
  NOT_FOUND,
  type Person,
  person,
  submission,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import { freshAddress, pathOf } from '#test/support/requests.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';

/** Rate tiers and client addresses. The windows are longer than any test. */

const LIMITS = { general: 5, voting: 2, submission: 3, admin: 6, comments: 1 } as const;
const WINDOW = 100_000;

let server: TestServer;
let admin: Person;
let user: Person;
let project: string;
let slug: string;

const from = (address: string) => ({ 'x-forwarded-for': address });

const call = (method: string, path: string, address: string, caller?: Person, body?: unknown): Promise<CallResponse> =>
  server.call(method, path, {
    ...(caller && { token: caller.token }),
    ...(body !== undefined && { body }),
    headers: from(address),
  });

beforeAll(async () => {
  server = await startTestServer({
    env: Object.fromEntries(
      Object.entries(LIMITS).map(([tier, count]) => [`RATE_LIMIT_${tier.toUpperCase()}`, `${count}/${WINDOW}`]),
    ),
  });
  [admin, user] = [await person(server, { admin: true }), await person(server)];
  slug = dataOf<{ slug: string }>(await call('POST', '/api/admin/categories', freshAddress(), admin, category())).slug;
  const submitted = await call('POST', '/api/projects', freshAddress(), user, submission({ categories: [slug] }));
  project = dataOf<{ id: string }>(submitted).id;
  const approved = await call('PUT', `/api/admin/projects/${project}/approve`, freshAddress(), admin);
  expect(approved.status).toBe(200);
});

afterAll(async () => {
  await server.stop();
});

const tierOf = (response: CallResponse): string | undefined =>
  /^"(\w+)"/.exec(response.headers.get('ratelimit-policy') ?? '')?.[1];
const remaining = (response: CallResponse): number =>
  Number(/;r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);

describe('a tier', () => {
  it('admits its count and then returns 429 with retryAfter and Retry-After', async () => {
    const address = freshAddress();
    const statuses = [];
    for (let number = 0; number < LIMITS.general; number += 1) {
      statuses.push((await call('GET', '/api/projects', address)).status);
    }
    expect(statuses).toEqual(Array(LIMITS.general).fill(200));
    const rejected = await call('GET', '/api/projects', address);
    const retryAfter = Number(rejected.headers.get('retry-after'));
    expect(rejected.status).toBe(429);
    expect(rejected.body).toEqual({ error: 'Too many requests', code: 'RATE_LIMITED', retryAfter });
    expect(Number.isInteger(retryAfter)).toBe(true);
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(WINDOW);
    expect(rejected.headers.get('x-request-id')).toMatch(/\S/);
  });

  it('adds limit and remaining quota to every admitted response', async () => {
    const address = freshAddress();
    const responses = [
      await call('GET', '/api/projects', address),
      await call('GET', '/api/projects?limit=0', address),
      await call('GET', `/api/projects/${unique('none')}`, address),
      await call('GET', '/api/me/submissions', address),
    ];
    expect(responses.map((response) => response.status)).toEqual([200, 400, 404, 401]);
    expect(responses.map(remaining)).toEqual([4, 3, 2, 1]);
    for (const response of responses) {
      expect(response.headers.get('ratelimit-policy')).toBe(`"general";q=${LIMITS.general};w=${WINDOW}`);
      expect(response.headers.get('ratelimit')).toMatch(/^"general";r=\d;t=\d+$/);
    }
  });

  it('counts exactly under concurrency', async () => {
    const address = freshAddress();
    const responses = await Promise.all(Array.from({ length: 20 }, () => call('GET', '/api/projects', address)));
    expect(responses.filter((response) => response.status === 200)).toHaveLength(LIMITS.general);
    expect(responses.filter((response) => response.status === 429)).toHaveLength(20 - LIMITS.general);
  });

  it('has a counter of its own', async () => {
    const address = freshAddress();
    for (let number = 0; number <= LIMITS.voting; number += 1)
      expect((await call('POST', `/api/projects/${project}/upvote`, address, user)).status).toBe(
        number < LIMITS.voting ? 200 : 429,
      );
    expect((await call('POST', `/api/projects/${project}/ratings`, address, user, { rating: 5 })).status).toBe(429);
    expect((await call('GET', '/api/projects', address)).status).toBe(200);
    expect((await call('POST', `/api/projects/${project}/comments`, address, user, { content: 'Hello.' })).status).toBe(
      201,
    );
    expect((await call('POST', `/api/projects/${project}/comments`, address, user, { content: 'Again.' })).status).toBe(
      429,
    );
  });

  it('is keyed by the address of the client, not by the user', async () => {
    const address = freshAddress();
    const submit = (caller: Person, clientAddress: string) =>
      call('POST', '/api/projects', clientAddress, caller, submission({ categories: [slug] }));
    const other = await person(server);
    const statuses = [];
    for (const caller of [user, other, user, other]) statuses.push((await submit(caller, address)).status);
    expect(statuses).toEqual([201, 201, 201, 429]);
    expect((await submit(user, freshAddress())).status).toBe(201);
  });

  it('is checked before identity, permission and input', async () => {
    const address = freshAddress();
    const attempts = ['/api/admin/projects', '/api/admin/projects?limit=0'];
    for (let number = 0; number < LIMITS.admin; number += 1) {
      expect(await call('GET', attempts[number % 2] ?? '', address)).toMatchObject(FORBIDDEN);
    }
    expect((await call('GET', '/api/admin/projects', address, admin)).status).toBe(429);
    const writer = freshAddress();
    for (let number = 0; number < LIMITS.submission; number += 1) {
      expect(await call('POST', '/api/projects', writer)).toMatchObject(UNAUTHORIZED);
    }
    expect((await call('POST', '/api/projects', writer)).status).toBe(429);
  });

  it('does not count requests to unknown paths', async () => {
    const address = freshAddress();
    for (let number = 0; number < LIMITS.general + 2; number += 1) {
      const response = await call('GET', '/api/nonsense', address);
      expect(response).toMatchObject(NOT_FOUND);
      expect(response.headers.get('ratelimit')).toBeNull();
    }
    expect(remaining(await call('GET', '/api/projects', address))).toBe(LIMITS.general - 1);
  });
});

describe('the tier of a route', () => {
  const expected: readonly (readonly [tier: string, method: string, path: string])[] = [
    ['general', 'GET', '/api/projects'],
    ['general', 'GET', '/api/projects/{project}'],
    ['general', 'GET', '/api/projects/map'],
    ['general', 'PUT', '/api/projects/{project}'],
    ['general', 'DELETE', '/api/projects/{project}'],
    ['general', 'POST', '/api/projects/{project}/resubmit'],
    ['general', 'GET', '/api/me/submissions'],
    ['general', 'GET', '/api/projects/{project}/comments'],
    ['general', 'GET', '/api/categories'],
    ['general', 'GET', '/api/categories/{category}'],
    ['submission', 'POST', '/api/projects'],
    ['voting', 'POST', '/api/projects/{project}/upvote'],
    ['voting', 'PUT', '/api/projects/{project}/upvote'],
    ['voting', 'DELETE', '/api/projects/{project}/upvote'],
    ['voting', 'POST', '/api/projects/{project}/ratings'],
    ['voting', 'DELETE', '/api/projects/{project}/ratings'],
    ['comments', 'POST', '/api/projects/{project}/comments'],
    ...routes
      .filter((route) => route.path.startsWith('/api/admin/'))
      .map((route) => ['admin', route.method, route.path] as const),
  ];

  it.each(expected)('%s: %s %s', async (tier, method, path) => {
    const route = routes.find((candidate) => candidate.method === method && candidate.path === path);
    if (!route) throw new Error(`The route table has no ${method} ${path}.`);
    expect(tierOf(await call(method, pathOf(route), freshAddress()))).toBe(tier);
  });
});

describe('X-Forwarded-For of a trusted peer', () => {
  const remainingAfter = async (headers: Record<string, string>) =>
    remaining(await server.call('GET', '/api/projects', { headers }));
  const chain = (...addresses: string[]) => from(addresses.join(', '));

  it('names the client, so two addresses have two quotas', async () => {
    const [one, other] = [freshAddress(), freshAddress()];
    expect([
      await remainingAfter(chain(one)),
      await remainingAfter(chain(one)),
      await remainingAfter(chain(other)),
    ]).toEqual([4, 3, 4]);
  });

  it('names the rightmost untrusted address, whatever precedes it', async () => {
    const client = freshAddress();
    expect(await remainingAfter(chain(client))).toBe(4);
    expect(await remainingAfter(chain('198.51.100.7', client))).toBe(3);
    expect(await remainingAfter(chain('198.51.100.8', '127.0.0.1', client))).toBe(2);
    expect(await remainingAfter(chain(freshAddress(), client, '127.0.0.1', '::1'))).toBe(1);
  });

  it('does not create a quota for an invalid address', async () => {
    const client = freshAddress();
    expect(await remainingAfter(chain(client))).toBe(4);
    expect(await remainingAfter(chain('nonsense', client))).toBe(3);
    const first = await remainingAfter(chain('nonsense-1'));
    expect(await remainingAfter(chain('nonsense-2'))).toBe(first - 1);
  });

  it('shares one quota per /64 network, and between notations of an address', async () => {
    expect(await remainingAfter(chain('2001:db8:1:2::1'))).toBe(4);
    expect(await remainingAfter(chain('2001:db8:1:2:ffff::9'))).toBe(3);
    expect(await remainingAfter(chain('2001:db8:1:3::1'))).toBe(4);
    const client = freshAddress();
    expect(await remainingAfter(chain(client))).toBe(4);
    expect(await remainingAfter(chain(`::ffff:${client}`))).toBe(3);
  });
});
