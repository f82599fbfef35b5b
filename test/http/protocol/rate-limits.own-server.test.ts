import { describe, expect, it } from 'vitest';
import type { CallResponse } from '#test/support/client.ts';
import { category, dataOf, NOT_FOUND, type Person, person, submission, unique } from '#test/support/fixtures.ts';
import { freshAddress } from '#test/support/requests.ts';
import { ownServer } from '#test/support/with-directory.ts';

/** Rate tiers and client addresses. The windows are longer than any test. */

const LIMITS = { general: 5, voting: 2, submission: 3, admin: 6, comments: 1 } as const;
const WINDOW = 100_000;

const from = (address: string) => ({ 'x-forwarded-for': address });

const call = (method: string, path: string, address: string, caller?: Person, body?: unknown): Promise<CallResponse> =>
  server.call(method, path, {
    ...(caller && { token: caller.token }),
    ...(body !== undefined && { body }),
    headers: from(address),
  });

const server = await ownServer({
  env: Object.fromEntries(
    Object.entries(LIMITS).map(([tier, count]) => [`RATE_LIMIT_${tier.toUpperCase()}`, `${count}/${WINDOW}`]),
  ),
});
const [admin, user] = [await person(server, { admin: true }), await person(server)];
const slug = dataOf<{ slug: string }>(
  await call('POST', '/api/admin/categories', freshAddress(), admin, category()),
).slug;
const submitted = await call('POST', '/api/projects', freshAddress(), user, submission({ categories: [slug] }));
const project = dataOf<{ id: string }>(submitted).id;
const approved = await call('PUT', `/api/admin/projects/${project}/approve`, freshAddress(), admin);
expect(approved.status).toBe(200);

const remaining = (response: CallResponse): number =>
  Number(/;r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);

describe('a rate tier', () => {
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

  it('is keyed by the address in all lines of X-Forwarded-For, to which each trusted proxy may add one', async () => {
    const address = freshAddress();
    const sent = [[address], [address, '127.0.0.1'], [freshAddress(), address, '127.0.0.1, 127.0.0.1']];
    const counted = [];
    for (const lines of sent) {
      counted.push(remaining(await server.call('GET', '/api/projects', { headers: { 'x-forwarded-for': lines } })));
    }
    expect(counted).toEqual([4, 3, 2]);
  });

  it('comments counts their creation only', async () => {
    const address = freshAddress();
    const comments = `/api/projects/${project}/comments`;
    const added = await call('POST', comments, address, user, { content: 'Hello.' });
    const { id } = dataOf<{ id: string }>(added);
    const changed = await call('PUT', `${comments}/${id}`, address, user, { content: 'Hello again.' });
    const deleted = await call('DELETE', `${comments}/${id}`, address, user);
    expect([added, changed, deleted].map(({ status }) => status)).toEqual([201, 200, 200]);
    for (const response of [changed, deleted]) expect(response.headers.get('ratelimit-policy')).toMatch(/^"general";/);
    expect((await call('POST', comments, address, user, { content: 'Once more.' })).status).toBe(429);
  });

  it.each([
    ['POST', 'projects/{id}/claims', 'submission'],
    ['POST', 'projects/{id}/claims/clm_none/verify', 'submission'],
    ['PUT', 'projects/{id}/bookmark', 'voting'],
    ['DELETE', 'projects/{id}/bookmark', 'voting'],
    ['POST', 'unsubscribe/none', 'general'],
    ['GET', 'search/suggest', 'general'],
    ['GET', 'projects/{id}/related', 'general'],
  ])('of %s /api/%s is %s', async (method, path, tier) => {
    const { headers } = await call(method, `/api/${path.replace('{id}', project)}`, freshAddress(), user);
    expect(headers.get('ratelimit-policy')).toContain(`"${tier}";`);
  });

  it.each(['/feed.xml', '/atom.xml', '/feed.json', '/sitemap.xml', '/robots.txt', '/llms.txt', '/badges/none.svg'])(
    'of %s is general',
    async (path) => {
      expect((await call('GET', path, freshAddress())).headers.get('ratelimit-policy')).toContain('"general";');
    },
  );

  it('of a submission by an assistant is that of submissions too, and its 429 is one of HTTP', async () => {
    const address = freshAddress();
    const params = { name: 'submit_listing', arguments: submission({ categories: [slug] }) };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const headers = { ...from(address), accept: 'application/json, text/event-stream' };
    const statuses = [];
    for (let number = 0; number <= LIMITS.submission; number += 1) {
      statuses.push((await server.call('POST', '/mcp', { token: user.token, body, headers })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
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
