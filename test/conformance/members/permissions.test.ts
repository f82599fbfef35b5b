import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import type { CallOptions } from '#test/support/client.ts';
import { FORBIDDEN, INVALID, NOT_FOUND, STALE } from '#test/support/fixtures.ts';
import { type Furnished, furnish } from '#test/support/furnished.ts';
import { openStage, type People, peopleOf, type Stage } from '../stage.ts';

/** Every route of the table, called by people who are known: what it answers, and what it refuses. */

const named = (applies: (route: Route) => boolean) => routes.filter(applies).map((route) => ({ id: route.id, route }));

const knowsUser = ({ auth }: Route): boolean => auth === 'user' || auth === 'admin' || auth === 'optional';
const reads = ({ method, auth }: Route): boolean => method === 'GET' && auth !== 'cron';
const takesBody = ({ body, bodyKind, auth }: Route): boolean =>
  auth !== 'cron' && (body !== undefined || bodyKind === 'multipart');
const isStreamed = ({ replies }: Route): boolean =>
  Object.values(replies).some((reply) => 'stream' in reply && reply.stream);

let stage: Stage;
let people: People;
let furnished: Furnished;

beforeAll(async () => {
  stage = await openStage();
  people = await peopleOf(stage);
  furnished = await furnish(stage.client, { admin: people.admin, isOn: stage.isOn, secluded: true });
});

afterAll(async () => {
  await stage.client.tidy(people.admin);
  await stage.close();
});

const isOff = ({ feature }: Route): boolean => feature !== undefined && !stage.isOn(feature);

const send = (route: Route, options: CallOptions = {}, query = '') =>
  stage.client.call(route.method, `${furnished.pathOf(route)}${query}`, {
    ...(route.auth !== 'public' && { token: people.admin.token }),
    ...options,
  });

it.each(named(reads))('$id answers as documented, and 304 to whoever has the answer', async ({ route }) => {
  const query = route.id === 'users.votes' ? '?ids=prj_1' : '';
  if (isOff(route) || !furnished.has(route)) {
    expect(await send(route, {}, query)).toMatchObject(NOT_FOUND);
    return;
  }
  expect(await send(route, {}, query)).toMatchObject({ status: 200 });
  if (isStreamed(route)) return;
  // Others may change something between the two.
  await stage.client.until(async () => {
    const tag = (await send(route, {}, query)).headers.get('etag') ?? '';
    const again = await send(route, { headers: { 'if-none-match': tag } }, query);
    return again.status === 304 && again.body === undefined;
  });
});

it.each(named(({ auth }) => auth === 'admin'))('$id answers 403 to a user', async ({ route }) => {
  expect(await send(route, { token: people.user.token })).toMatchObject(isOff(route) ? NOT_FOUND : FORBIDDEN);
});

describe.each(named(takesBody))('$id', ({ route }) => {
  it('answers 400 to what is no object, with a place for its messages', async () => {
    const headers = route.bodyKind === 'multipart' ? { 'content-type': 'multipart/form-data' } : {};
    const answer = await send(route, { rawBody: '"nonsense"', headers });
    if (isOff(route) || !furnished.has(route)) {
      expect([400, 404]).toContain(answer.status);
      return;
    }
    expect(answer).toMatchObject(INVALID);
    expect(answer.body).toMatchObject({ details: { _errors: expect.any(Array) as unknown } });
  });

  it('answers 415 to a body of another type', async () => {
    const answer = await send(route, { rawBody: '{}', headers: { 'content-type': 'text/plain' } });
    if (isOff(route) || !furnished.has(route)) expect([404, 415]).toContain(answer.status);
    else expect(answer).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } });
  });
});

it.each(named((route) => reads(route) && route.query !== undefined && 'limit' in route.query.shape))(
  '$id answers 400 to a page that there cannot be',
  async ({ route }) => {
    if (isOff(route)) return;
    for (const query of ['?limit=0', '?limit=101'])
      expect((await send(route, {}, query)).body).toMatchObject({ ...INVALID.body, details: { limit: {} } });
  },
);

it.each(named(({ ifMatch }) => ifMatch === true))('$id answers 412 to a tag that is out of date', async ({ route }) => {
  const answer = await send(route, { body: {}, headers: { 'if-match': '"of-yesterday"' } });
  expect(answer).toMatchObject(isOff(route) ? NOT_FOUND : STALE);
});

it.each(named((route) => knowsUser(route) && route.method !== 'GET'))(
  '$id answers 403 to a cookie that another site made the browser send',
  async ({ route }) => {
    const headers = { cookie: `directory_token=${people.admin.token}`, origin: 'https://nobody.invalid' };
    const answer = await stage.client.call(route.method, furnished.pathOf(route), { headers });
    expect(answer).toMatchObject(isOff(route) ? NOT_FOUND : FORBIDDEN);
  },
);

it.each(named((route) => reads(route) && route.path.includes('{')))(
  '$id answers 404 to what there is not',
  async ({ route }) => {
    const path = route.path.replaceAll(/\{\w+\}/g, 'there-is-no-such-thing');
    expect(await stage.client.call('GET', path, { token: people.admin.token })).toMatchObject(NOT_FOUND);
  },
);
