import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { BANNED, ban, FORBIDDEN, type Person, person, STALE } from '#test/support/fixtures.ts';
import { type Furnished, furnish, purchaseOf } from '#test/support/furnished.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** What every route refuses of which only some routes could be guilty: bodies, bans, other sites, stale tags, used keys. */

const named = (applies: (route: Route) => boolean) => routes.filter(applies).map((route) => ({ id: route.id, route }));

const writes = ({ method }: Route): boolean => method !== 'GET';
const knowsUser = ({ auth }: Route): boolean => auth === 'user' || auth === 'admin' || auth === 'optional';
const takesBody = ({ body, bodyKind }: Route): boolean => body !== undefined || bodyKind === 'multipart';
const isStreamed = ({ replies }: Route): boolean =>
  Object.values(replies).some((reply) => 'stream' in reply && reply.stream);

const CRON_SECRET = 'the-secret-of-this-test';
const JSON_BYTES_MAX = 256 * 1024;
const UPLOAD_BYTES_MAX = 10 * 1024 * 1024;

let world: TestWorld;
let furnished: Furnished;
let banned: Person;

beforeAll(async () => {
  world = await startTestWorld({ env: { FEATURE_AI: 'on', WEBHOOK_ALLOW_PRIVATE: 'on', CRON_SECRET } });
  furnished = await furnish(world);
  banned = await person(world, { admin: true });
  expect(await furnished.directory.get('/api/user/profile', banned)).toMatchObject({ status: 200 });
  await ban(banned);
});

afterAll(async () => {
  await world.stop();
});

const tokenFor = ({ auth }: Route): string => (auth === 'cron' ? CRON_SECRET : furnished.admin.token);

const send = (route: Route, options: Parameters<TestWorld['call']>[2] = {}) =>
  world.call(route.method, furnished.pathOf(route), { token: tokenFor(route), ...options });

it.each(named((route) => takesBody(route) || route.auth === 'signature'))(
  '$id answers 413 to a body that is larger than its limit',
  async ({ route }) => {
    const bytes = (route.bodyKind === 'multipart' ? UPLOAD_BYTES_MAX : JSON_BYTES_MAX) + 1;
    const answer = await send(route, { rawBody: `"${'x'.repeat(bytes)}"` });
    expect(answer).toMatchObject({ status: 413, body: { error: 'Payload too large', code: 'PAYLOAD_TOO_LARGE' } });
    expect((answer.body as { message: string }).message).toMatch(/\d/);
  },
);

it.each(named(takesBody))('$id answers 415 to a body of another type', async ({ route }) => {
  const answer = await send(route, { rawBody: '{}', headers: { 'content-type': 'text/plain' } });
  expect(answer).toMatchObject({
    status: 415,
    body: { error: 'Unsupported media type', code: 'UNSUPPORTED_MEDIA_TYPE' },
  });
});

describe.each(named((route) => writes(route) && knowsUser(route)))('$id', ({ route }) => {
  it('answers 403 BANNED to a banned user, whatever he sends', async () => {
    expect(await send(route, { token: banned.token })).toMatchObject(BANNED);
    expect(await send(route, { token: banned.token, rawBody: '{' })).toMatchObject(BANNED);
  });

  it('answers 403 to a cookie that another site made the browser send', async () => {
    const cookie = `directory_token=${furnished.admin.token}`;
    for (const from of [{}, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await world.call(route.method, furnished.pathOf(route), { headers: { cookie, ...from } });
      expect(answer).toMatchObject(FORBIDDEN);
    }
  });
});

it.each(named((route) => route.ifMatch === true))('$id answers 412 to a tag that is out of date', async ({ route }) => {
  expect(await send(route, { body: {}, headers: { 'if-match': '"of-yesterday"' } })).toMatchObject(STALE);
});

it.each(named((route) => route.idempotent === true))(
  '$id does once what comes twice under a key: 409 while it runs, 422 with another body',
  async ({ route }) => {
    const headers = { 'idempotency-key': 'one-and-the-same' };
    const body = await purchaseOf(furnished.directory, route);
    const together = await Promise.all([1, 2, 3, 4, 5].map(() => send(route, { body, headers })));
    const statuses = together.map(({ status }) => status);
    expect(statuses.filter((status) => status === 409).length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status !== 409 && status >= 300)).toEqual([]);
    const other = await send(route, { body: { ...body, name: 'Another', months: 1 }, headers });
    expect(other).toMatchObject({ status: 422, body: { error: 'Unprocessable', code: 'IDEMPOTENCY_MISMATCH' } });
  },
);

it.each(named((route) => !writes(route) && route.auth !== 'cron' && !isStreamed(route)))(
  '$id answers 304 without a body to a caller who has the answer at hand',
  async ({ route }) => {
    const query = route.id === 'users.votes' ? '?ids=prj_1' : '';
    const path = `${furnished.pathOf(route)}${query}`;
    const first = await world.call('GET', path, { token: tokenFor(route) });
    expect(first).toMatchObject({ status: 200 });
    const tag = first.headers.get('etag') ?? '';
    const second = await world.call('GET', path, { token: tokenFor(route), headers: { 'if-none-match': tag } });
    expect([second.status, second.body]).toEqual([304, undefined]);
  },
);
