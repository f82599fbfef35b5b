import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import type { CallAnswer } from '#test/support/client.ts';
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
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** Rate tiers: what they count, what they answer, and whose request it is. The windows are longer than any test. */

const LIMITS = { general: 5, voting: 2, submission: 3, admin: 6, comments: 1 } as const;
const WINDOW = 100_000;

let world: TestWorld;
let admin: Person;
let user: Person;
let project: string;
let slug: string;

const from = (address: string) => ({ 'x-forwarded-for': address });

const call = (method: string, path: string, address: string, who?: Person, body?: unknown): Promise<CallAnswer> =>
  world.call(method, path, {
    ...(who && { token: who.token }),
    ...(body !== undefined && { body }),
    headers: from(address),
  });

beforeAll(async () => {
  world = await startTestWorld({
    env: Object.fromEntries(
      Object.entries(LIMITS).map(([tier, count]) => [`RATE_LIMIT_${tier.toUpperCase()}`, `${count}/${WINDOW}`]),
    ),
  });
  [admin, user] = [await person(world, { admin: true }), await person(world)];
  slug = dataOf<{ slug: string }>(await call('POST', '/api/admin/categories', freshAddress(), admin, category())).slug;
  const submitted = await call('POST', '/api/projects', freshAddress(), user, submission({ categories: [slug] }));
  project = dataOf<{ id: string }>(submitted).id;
  await call('PUT', `/api/admin/projects/${project}/approve`, freshAddress(), admin);
});

afterAll(async () => {
  await world.stop();
});

const tierOf = (answer: CallAnswer): string | undefined =>
  /^"(\w+)"/.exec(answer.headers.get('ratelimit-policy') ?? '')?.[1];
const remaining = (answer: CallAnswer): number => Number(/;r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);

describe('a tier', () => {
  it('lets through its count and then answers 429 with retryAfter and Retry-After', async () => {
    const address = freshAddress();
    const statuses = [];
    for (let number = 0; number < LIMITS.general; number += 1) {
      statuses.push((await call('GET', '/api/projects', address)).status);
    }
    expect(statuses).toEqual(Array(LIMITS.general).fill(200));
    const refused = await call('GET', '/api/projects', address);
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({ error: 'Too many requests', code: 'RATE_LIMITED', retryAfter });
    expect(Number.isInteger(retryAfter)).toBe(true);
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(WINDOW);
    expect(refused.headers.get('x-request-id')).toMatch(/\S/);
  });

  it('says on every answer that passed what it allows and what is left', async () => {
    const address = freshAddress();
    const answers = [
      await call('GET', '/api/projects', address),
      await call('GET', '/api/projects?limit=0', address),
      await call('GET', `/api/projects/${unique('none')}`, address),
      await call('GET', '/api/me/submissions', address),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([200, 400, 404, 401]);
    expect(answers.map(remaining)).toEqual([4, 3, 2, 1]);
    for (const answer of answers) {
      expect(answer.headers.get('ratelimit-policy')).toBe(`"general";q=${LIMITS.general};w=${WINDOW}`);
      expect(answer.headers.get('ratelimit')).toMatch(/^"general";r=\d;t=\d+$/);
    }
  });

  it('counts exactly under concurrency', async () => {
    const address = freshAddress();
    const answers = await Promise.all(Array.from({ length: 20 }, () => call('GET', '/api/projects', address)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(LIMITS.general);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(20 - LIMITS.general);
  });

  it('is counted apart from the others', async () => {
    const address = freshAddress();
    for (let number = 0; number <= LIMITS.voting; number += 1)
      await call('POST', `/api/projects/${project}/upvote`, address, user);
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
    const submit = (who: Person, where: string) =>
      call('POST', '/api/projects', where, who, submission({ categories: [slug] }));
    const other = await person(world);
    const statuses = [];
    for (const who of [user, other, user, other]) statuses.push((await submit(who, address)).status);
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

  it('does not count what is no route', async () => {
    const address = freshAddress();
    for (let number = 0; number < LIMITS.general + 2; number += 1) {
      const answer = await call('GET', '/api/nonsense', address);
      expect(answer).toMatchObject(NOT_FOUND);
      expect(answer.headers.get('ratelimit')).toBeNull();
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
    const route = routes.find((one) => one.method === method && one.path === path);
    if (!route) throw new Error(`There is no ${method} ${path}.`);
    expect(tierOf(await call(method, pathOf(route), freshAddress()))).toBe(tier);
  });
});

describe('X-Forwarded-For of a trusted peer', () => {
  const spend = async (headers: Record<string, string>) =>
    remaining(await world.call('GET', '/api/projects', { headers }));
  const chain = (...addresses: string[]) => from(addresses.join(', '));

  it('names the client: two addresses have two buckets', async () => {
    const [one, other] = [freshAddress(), freshAddress()];
    expect([await spend(chain(one)), await spend(chain(one)), await spend(chain(other))]).toEqual([4, 3, 4]);
  });

  it('counts by the rightmost address that is not trusted, whatever stands left of it', async () => {
    const client = freshAddress();
    expect(await spend(chain(client))).toBe(4);
    expect(await spend(chain('198.51.100.7', client))).toBe(3);
    expect(await spend(chain('198.51.100.8', '127.0.0.1', client))).toBe(2);
    expect(await spend(chain(freshAddress(), client, '127.0.0.1', '::1'))).toBe(1);
  });

  it('with what is no address gives no new bucket', async () => {
    const client = freshAddress();
    expect(await spend(chain(client))).toBe(4);
    expect(await spend(chain('nonsense', client))).toBe(3);
    const first = await spend(chain('nonsense-1'));
    expect(await spend(chain('nonsense-2'))).toBe(first - 1);
  });

  it('counts a network of IPv6 addresses as one caller, and other forms of an address as the same', async () => {
    expect(await spend(chain('2001:db8:1:2::1'))).toBe(4);
    expect(await spend(chain('2001:db8:1:2:ffff::9'))).toBe(3);
    expect(await spend(chain('2001:db8:1:3::1'))).toBe(4);
    const client = freshAddress();
    expect(await spend(chain(client))).toBe(4);
    expect(await spend(chain(`::ffff:${client}`))).toBe(3);
  });
});
