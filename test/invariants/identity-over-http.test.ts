import { generateKeyPair, SignJWT } from 'jose';
import { expect, it } from 'vitest';
import { type Route, type Scope, scopes } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { apiKeyKey } from '#data/keys.ts';
import { exists, updateItem } from '#data/write.ts';
import { newApiKey } from '#platform/api-key.ts';
import { newId } from '#platform/ids.ts';
import { FORBIDDEN, UNAUTHORIZED } from '#test/support/fixtures.ts';
import { createKey } from '#test/support/keys.ts';
import { freshAddress, pathOf } from '#test/support/requests.ts';
import { sampleOf } from '#test/support/sample.ts';
import { ownServer } from '#test/support/with-directory.ts';

/** Authentication of every route in the table. */

const named = routes.map((route) => ({ id: route.id, route }));

const server = await ownServer({ env: { FEATURE_AI: 'on' } });

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

const admin = { token: await server.token({ email: 'keeper@example.com', admin: true }) };

const keys = new Map<string, Promise<string>>();
/** An API key with exactly these scopes, as a credential. */
const keyWith = (...wanted: readonly Scope[]): Promise<string> => {
  const name = wanted.join();
  const known = keys.get(name) ?? createKey(server, admin, wanted).then(({ key }) => `Bearer ${key}`);
  keys.set(name, known);
  return known;
};

const revokedKey = async (): Promise<string> => {
  const { id, key } = await createKey(server, admin, scopes);
  const revoked = await server.call('DELETE', `/api/admin/keys/${id}`, { token: admin.token });
  expect(revoked.status).toBe(200);
  return key;
};

const expiredKey = async (): Promise<string> => {
  const { prefix, key } = await createKey(server, admin, scopes);
  await updateItem(apiKeyKey(prefix), { set: { expires_at: '2026-01-01T00:00:00.000Z' } }, exists);
  return key;
};

/** A well-formed key that begins like another one. */
const forgedKey = async (): Promise<string> => {
  const { id } = await createKey(server, admin, scopes);
  return newApiKey(id);
};

const claims = JSON.parse(
  Buffer.from((await server.token({ email: 'shape@example.com' })).split('.')[1] ?? '', 'base64url').toString(),
) as Record<string, unknown>;
const unknownKey = newApiKey(newId('key'));
const invalidCredentials: readonly [string, string | undefined][] = [
  ['no credential', undefined],
  ['a malformed token', 'Bearer nonsense'],
  ['another scheme', 'Basic dXNlcjpwYXNz'],
  ['an expired token', `Bearer ${await server.token({ email: 'late@example.com', expires_in: -60 })}`],
  ['a token without signature', `Bearer ${unsigned({ ...claims, exp: 4_000_000_000 })}`],
  ['a token signed by another key', `Bearer ${await forgedToken(claims)}`],
  ['a malformed API key', `Bearer ${unknownKey.slice(0, -1)}${unknownKey.endsWith('x') ? 'y' : 'x'}`],
  ['an unknown API key', `Bearer ${unknownKey}`],
  ['an API key with another secret', `Bearer ${await forgedKey()}`],
  ['a revoked API key', `Bearer ${await revokedKey()}`],
  ['an expired API key', `Bearer ${await expiredKey()}`],
];

it.each(named.filter(({ route }) => route.auth === 'user'))(
  '$id returns 401 to every invalid credential',
  async ({ route }) => {
    for (const [what, authorization] of sampleOf(invalidCredentials, routes.indexOf(route))) {
      expect({ what, ...(await send(route, authorization)) }).toEqual({ what, ...UNAUTHORIZED });
    }
  },
);

it.each(named.filter(({ route }) => route.auth === 'cron'))(
  '$id returns 401 without the job secret, to administrators too',
  async ({ route }) => {
    const credential = `Bearer ${await server.token({ email: 'root@example.com', admin: true })}`;
    for (const [what, authorization] of [
      ...sampleOf(invalidCredentials, routes.indexOf(route)),
      ['an administrator', credential] as const,
    ]) {
      expect({ what, ...(await send(route, authorization)) }).toEqual({ what, ...UNAUTHORIZED });
    }
  },
);

it.each(named.filter(({ route }) => route.auth === 'admin'))(
  '$id returns 403 to everyone except administrators',
  async ({ route }) => {
    const user = `Bearer ${await server.token({ email: 'user@example.com' })}`;
    for (const [what, authorization] of [
      ...sampleOf(invalidCredentials, routes.indexOf(route)),
      ['a user', user] as const,
    ]) {
      expect({ what, ...(await send(route, authorization)) }).toEqual({ what, ...FORBIDDEN });
    }
  },
);

it.each(named.filter(({ route }) => route.auth === 'public' || route.auth === 'optional'))(
  '$id ignores an invalid credential',
  async ({ route }) => {
    for (const [what, authorization] of sampleOf(invalidCredentials, routes.indexOf(route))) {
      const { status } = await send(route, authorization);
      expect({ what, rejected: [401, 403, 500].includes(status) }).toEqual({ what, rejected: false });
    }
  },
);

const OUT_OF_SCOPE = { status: 403, body: { error: 'Forbidden', code: 'SCOPE' } };
const isUsable = ({ status, body }: { status: number; body: unknown }): boolean =>
  ![401, 500].includes(status) && (body as { code?: string } | undefined)?.code !== 'SCOPE';

it.each(named.filter(({ route }) => route.auth === 'user' || route.auth === 'admin'))(
  '$id is open to API keys with a scope of it, and 403 to those with all others',
  async ({ route }) => {
    const covering = route.scopes ?? [];
    for (const scope of covering)
      expect({ scope, usable: isUsable(await send(route, await keyWith(scope))) }).toEqual({ scope, usable: true });
    const others = scopes.filter((scope) => !covering.includes(scope));
    if (others.length > 0) expect(await send(route, await keyWith(...others))).toEqual(OUT_OF_SCOPE);
  },
);

it.each(named.filter(({ route }) => route.auth === 'optional'))('$id accepts an API key', async ({ route }) => {
  expect(isUsable(await send(route, await keyWith('events:read')))).toBe(true);
});
