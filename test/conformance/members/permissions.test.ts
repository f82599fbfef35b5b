import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { openStage, type People, peopleOf, type Stage } from '#test/conformance/stage.ts';
import type { CallOptions } from '#test/support/client.ts';
import { FORBIDDEN, INVALID, NOT_FOUND, STALE } from '#test/support/fixtures.ts';
import { type Seeded, seed } from '#test/support/seed.ts';

/** Every route, called by known users: documented responses and rejections. */

const named = (applies: (route: Route) => boolean) => routes.filter(applies).map((route) => ({ id: route.id, route }));

const hasIdentity = ({ auth }: Route): boolean => auth === 'user' || auth === 'admin' || auth === 'optional';
/** Texts exist as far as an administrator has written them, and the key of IndexNow where the deployment has one. */
const configured = ['site.about', 'site.legal', 'feeds.readIndexNowKey'];
const reads = ({ id, method, auth }: Route): boolean => method === 'GET' && auth !== 'cron' && !configured.includes(id);
const takesBody = ({ body, bodyKind, auth }: Route): boolean =>
  auth !== 'cron' && (body !== undefined || bodyKind === 'multipart');
const isStreamed = ({ responses }: Route): boolean =>
  Object.values(responses).some((response) => 'stream' in response && response.stream);

let stage: Stage;
let people: People;
let seeded: Seeded;

beforeAll(async () => {
  stage = await openStage();
  people = await peopleOf(stage);
  seeded = await seed(stage.client, { admin: people.admin, isOn: stage.isOn, isolated: true });
});

afterAll(async () => {
  await stage.client.tidy(people.admin);
  await stage.close();
});

const isOff = ({ feature }: Route): boolean => feature !== undefined && !stage.isOn(feature);

const send = (route: Route, options: CallOptions = {}, query = '') =>
  stage.client.call(route.method, `${seeded.pathOf(route)}${query}`, {
    ...(route.auth !== 'public' && { token: route.id === 'apiKeys.current' ? seeded.key.key : people.admin.token }),
    ...options,
  });

it.each(named(reads))('$id responds as documented, and with 304 to its ETag', async ({ route }) => {
  const query = route.id === 'users.votes' ? '?ids=prj_1' : '';
  if (isOff(route) || !seeded.has(route)) {
    expect(await send(route, {}, query)).toMatchObject(NOT_FOUND);
    return;
  }
  expect(await send(route, {}, query)).toMatchObject({ status: 200 });
  if (isStreamed(route)) return;
  // Others may change the data between the two requests.
  await stage.client.until(async () => {
    const tag = (await send(route, {}, query)).headers.get('etag') ?? '';
    const again = await send(route, { headers: { 'if-none-match': tag } }, query);
    return again.status === 304 && again.body === undefined;
  });
});

it.each(named(({ auth }) => auth === 'admin'))('$id returns 403 for a user', async ({ route }) => {
  expect(await send(route, { token: people.user.token })).toMatchObject(isOff(route) ? NOT_FOUND : FORBIDDEN);
});

describe.each(named(takesBody))('$id', ({ route }) => {
  it('returns 400 with details for a body that is not an object', async () => {
    const headers = route.bodyKind === 'multipart' ? { 'content-type': 'multipart/form-data' } : {};
    const response = await send(route, { rawBody: '"nonsense"', headers });
    if (isOff(route) || !seeded.has(route)) {
      expect([400, 404]).toContain(response.status);
      return;
    }
    expect(response).toMatchObject(INVALID);
    expect(response.body).toMatchObject({ details: { _errors: expect.any(Array) as unknown } });
  });

  it('returns 415 for another content type', async () => {
    const response = await send(route, { rawBody: '{}', headers: { 'content-type': 'text/plain' } });
    if (isOff(route) || !seeded.has(route)) expect([404, 415]).toContain(response.status);
    else expect(response).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } });
  });
});

it.each(named((route) => reads(route) && route.query !== undefined && 'limit' in route.query.shape))(
  '$id returns 400 for an invalid limit',
  async ({ route }) => {
    if (isOff(route)) return;
    for (const query of ['?limit=0', '?limit=101'])
      expect((await send(route, {}, query)).body).toMatchObject({ ...INVALID.body, details: { limit: {} } });
  },
);

it.each(named(({ ifMatch }) => ifMatch === true))('$id returns 412 for an outdated If-Match', async ({ route }) => {
  const body = { reason: 'A test.', content: {} };
  const response = await send(route, { body, headers: { 'if-match': '"outdated"' } });
  expect(response).toMatchObject(isOff(route) ? NOT_FOUND : STALE);
});

it.each(named((route) => hasIdentity(route) && route.method !== 'GET'))(
  '$id returns 403 for a cookie with the origin of another site',
  async ({ route }) => {
    const headers = { cookie: `directory_token=${people.admin.token}`, origin: 'https://other.invalid' };
    const response = await stage.client.call(route.method, seeded.pathOf(route), { headers });
    expect(response).toMatchObject(isOff(route) ? NOT_FOUND : FORBIDDEN);
  },
);

it.each(
  named((route) => reads(route) && route.path.includes('{') && route.notFoundPage === undefined && !route.errorPages),
)('$id returns 404 for resources that do not exist', async ({ route }) => {
  const path = route.path.replaceAll(/\{\w+\}/g, 'no-such-thing');
  expect(await stage.client.call('GET', path, { token: people.admin.token })).toMatchObject(NOT_FOUND);
});
