import { generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Route } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { FORBIDDEN, UNAUTHORIZED } from '#test/support/fixtures.ts';
import { freshAddress, pathOf } from '#test/support/requests.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';

/** Authentication of every route in the table. */

const named = routes.map((route) => ({ id: route.id, route }));

let server: TestServer;

const forgedToken = async (claims: Record<string, unknown>): Promise<string> => {
  const { privateKey } = await generateKeyPair('RS256');
  return await new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'local' })
    .setSubject('mallory')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
};

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

const unsigned = (claims: object): string => `${base64url('{"alg":"none"}')}.${base64url(JSON.stringify(claims))}.`;

const send = async (route: Route, authorization: string | undefined) => {
  const { status, body } = await server.call(route.method, pathOf(route), {
    headers: { ...(authorization && { authorization }), 'x-forwarded-for': freshAddress() },
  });
  return { status, body };
};

let invalidCredentials: [string, string | undefined][];

beforeAll(async () => {
  server = await startTestServer({ env: { FEATURE_AI: 'on' } });
  const claims = JSON.parse(
    Buffer.from((await server.token({ email: 'shape@example.com' })).split('.')[1] ?? '', 'base64url').toString(),
  ) as Record<string, unknown>;
  invalidCredentials = [
    ['no credential', undefined],
    ['a malformed token', 'Bearer nonsense'],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['an expired token', `Bearer ${await server.token({ email: 'late@example.com', expires_in: -60 })}`],
    ['a token without signature', `Bearer ${unsigned({ ...claims, exp: 4_000_000_000 })}`],
    ['a token signed by another key', `Bearer ${await forgedToken(claims)}`],
  ];
});

it.each(named.filter(({ route }) => route.auth === 'user'))(
  '$id returns 401 to every invalid credential',
  async ({ route }) => {
    for (const [what, authorization] of invalidCredentials) {
      expect({ what, ...(await send(route, authorization)) }).toEqual({ what, ...UNAUTHORIZED });
    }
  },
);

it.each(named.filter(({ route }) => route.auth === 'cron'))(
  '$id returns 401 without the job secret, to administrators too',
  async ({ route }) => {
    const admin = `Bearer ${await server.token({ email: 'root@example.com', admin: true })}`;
    for (const [what, authorization] of [...invalidCredentials, ['an administrator', admin] as const]) {
      expect({ what, ...(await send(route, authorization)) }).toEqual({ what, ...UNAUTHORIZED });
    }
  },
);

it.each(named.filter(({ route }) => route.auth === 'admin'))(
  '$id returns 403 to everyone except administrators',
  async ({ route }) => {
    const user = `Bearer ${await server.token({ email: 'user@example.com' })}`;
    for (const [what, authorization] of [...invalidCredentials, ['a user', user] as const]) {
      expect({ what, ...(await send(route, authorization)) }).toEqual({ what, ...FORBIDDEN });
    }
  },
);

it.each(named.filter(({ route }) => route.auth === 'public' || route.auth === 'optional'))(
  '$id ignores an invalid credential',
  async ({ route }) => {
    for (const [what, authorization] of invalidCredentials) {
      const { status } = await send(route, authorization);
      expect({ what, rejected: [401, 403, 500].includes(status) }).toEqual({ what, rejected: false });
    }
  },
);

afterAll(async () => {
  await server.stop();
});
