import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { FORBIDDEN, NOT_FOUND, UNAUTHORIZED } from '#test/support/fixtures.ts';
import { pathOf } from '#test/support/requests.ts';
import { openStage, type Stage } from '../stage.ts';

/** Every route, called by somebody who is nobody. The things in the paths do not exist, so nothing could be done to them. */

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage.close());

const of = (...auths: readonly Route['auth'][]) =>
  routes.filter(({ auth }) => auths.includes(auth)).map((route) => ({ id: route.id, route }));

/** No credential, and one that nobody ever issued. */
const CREDENTIALS = [{}, { authorization: 'Bearer nonsense' }] as const;

const knock = async (route: Route): Promise<{ status: number; body: unknown }[]> => {
  const answers = [];
  for (const headers of CREDENTIALS) {
    const { status, body } = await stage.client.call(route.method, pathOf(route), { headers });
    answers.push({ status, body });
  }
  return answers;
};

const isOff = ({ feature }: Route): boolean => feature !== undefined && !stage.isOn(feature);

describe('a stranger', () => {
  it.each(of('user', 'cron'))('is answered 401 by $id', async ({ route }) => {
    for (const answer of await knock(route)) expect(answer).toEqual(isOff(route) ? NOT_FOUND : UNAUTHORIZED);
  });

  it.each(of('admin'))('is answered 403 by $id', async ({ route }) => {
    for (const answer of await knock(route)) expect(answer).toEqual(isOff(route) ? NOT_FOUND : FORBIDDEN);
  });

  it.each(of('signature'))('is answered 400 by $id, having signed nothing', async ({ route }) => {
    for (const answer of await knock(route))
      expect(answer).toEqual({ status: 400, body: { error: 'Invalid signature', code: 'INVALID_SIGNATURE' } });
  });

  it.each(of('public', 'optional'))('is not asked who he is by $id', async ({ route }) => {
    for (const { status } of await knock(route)) expect([401, 403, 500]).not.toContain(status);
  });
});
