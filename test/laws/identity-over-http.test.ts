import { generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Route } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { FORBIDDEN, UNAUTHORIZED } from '#test/support/fixtures.ts';
import { freshAddress, pathOf } from '#test/support/requests.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** Who may call what, over every route of the table: a new route is held to it without a line of test. */

const named = routes.map((route) => ({ id: route.id, route }));

let world: TestWorld;

const forgedToken = async (claims: Record<string, unknown>): Promise<string> => {
  const { privateKey } = await generateKeyPair('RS256');
  return await new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'local' })
    .setSubject('mallory')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
};

const unsigned = (claims: object): string =>
  `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`;

const answerTo = async (route: Route, authorization: string | undefined) => {
  const { status, body } = await world.call(route.method, pathOf(route), {
    headers: { ...(authorization && { authorization }), 'x-forwarded-for': freshAddress() },
  });
  return { status, body };
};

let bad: [string, string | undefined][];

beforeAll(async () => {
  world = await startTestWorld({ env: { FEATURE_AI: 'on' } });
  const claims = JSON.parse(
    Buffer.from((await world.token({ email: 'shape@example.com' })).split('.')[1] ?? '', 'base64url').toString(),
  ) as Record<string, unknown>;
  bad = [
    ['no credential', undefined],
    ['a word', 'Bearer nonsense'],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['an expired token', `Bearer ${await world.token({ email: 'late@example.com', expires_in: -60 })}`],
    ['a token without signature', `Bearer ${unsigned({ ...claims, exp: 4_000_000_000 })}`],
    ['a token signed by another key', `Bearer ${await forgedToken(claims)}`],
  ];
});

it.each(named.filter(({ route }) => route.auth === 'user'))(
  '$id answers 401 to every bad credential',
  async ({ route }) => {
    for (const [what, authorization] of bad) {
      expect({ what, ...(await answerTo(route, authorization)) }).toEqual({ what, ...UNAUTHORIZED });
    }
  },
);

it.each(named.filter(({ route }) => route.auth === 'cron'))(
  '$id answers 401 to whoever has not the secret, administrators too',
  async ({ route }) => {
    const admin = `Bearer ${await world.token({ email: 'root@example.com', admin: true })}`;
    for (const [what, authorization] of [...bad, ['an administrator', admin] as const]) {
      expect({ what, ...(await answerTo(route, authorization)) }).toEqual({ what, ...UNAUTHORIZED });
    }
  },
);

it.each(named.filter(({ route }) => route.auth === 'admin'))(
  '$id answers 403 to everybody but administrators',
  async ({ route }) => {
    const user = `Bearer ${await world.token({ email: 'somebody@example.com' })}`;
    for (const [what, authorization] of [...bad, ['a user', user] as const]) {
      expect({ what, ...(await answerTo(route, authorization)) }).toEqual({ what, ...FORBIDDEN });
    }
  },
);

it.each(named.filter(({ route }) => route.auth === 'public' || route.auth === 'optional'))(
  '$id takes a bad credential for none',
  async ({ route }) => {
    for (const [what, authorization] of bad) {
      const { status } = await answerTo(route, authorization);
      expect({ what, refused: [401, 403, 500].includes(status) }).toEqual({ what, refused: false });
    }
  },
);

afterAll(async () => {
  await world.stop();
});
