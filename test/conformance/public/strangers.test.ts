import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Route } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { openStage, type Stage } from '#test/conformance/stage.ts';
import { FORBIDDEN, NOT_FOUND, UNAUTHORIZED } from '#test/support/fixtures.ts';
import { pathOf } from '#test/support/requests.ts';

/** Every route without a valid credential. The resources in the paths do not exist, so nothing can change. */

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage.close());

const of = (...auths: readonly Route['auth'][]) =>
  routes.filter(({ auth }) => auths.includes(auth)).map((route) => ({ id: route.id, route }));

/** No credential, and an invalid token. */
const CREDENTIALS = [{}, { authorization: 'Bearer nonsense' }] as const;

const callWithout = async (route: Route): Promise<{ status: number; body: unknown }[]> => {
  const responses = [];
  for (const headers of CREDENTIALS) {
    const { status, body } = await stage.client.call(route.method, pathOf(route), { headers });
    responses.push({ status, body });
  }
  return responses;
};

const isOff = ({ feature }: Route): boolean => feature !== undefined && !stage.isOn(feature);

it.each(of('user', 'cron'))('a caller without a valid credential gets 401 from $id', async ({ route }) => {
  for (const response of await callWithout(route)) expect(response).toEqual(isOff(route) ? NOT_FOUND : UNAUTHORIZED);
});

it.each(of('admin'))('a caller without a valid credential gets 403 from $id', async ({ route }) => {
  for (const response of await callWithout(route)) expect(response).toEqual(isOff(route) ? NOT_FOUND : FORBIDDEN);
});

it.each(of('signature'))(
  'a caller without a valid credential gets 400 from $id without a signature',
  async ({ route }) => {
    for (const response of await callWithout(route))
      expect(response).toEqual({ status: 400, body: { error: 'Invalid signature', code: 'INVALID_SIGNATURE' } });
  },
);

it.each(of('public', 'optional'))('a caller without a valid credential is not rejected by $id', async ({ route }) => {
  for (const { status } of await callWithout(route)) expect([401, 403, 500]).not.toContain(status);
});
