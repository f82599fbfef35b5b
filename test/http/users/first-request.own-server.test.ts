import { readFileSync } from 'node:fs';
import path from 'node:path';
import { calculateJwkThumbprint, importJWK, type JWK, SignJWT } from 'jose';
import { expect, it } from 'vitest';
import type { User } from '#contract/users.ts';
import { issuerOf } from '#local/environment.ts';
import { LOCAL_AUDIENCE } from '#local/issuer.ts';
import { mailsTo, untilEventsDelivered } from '#test/support/events.ts';
import { dataOf, success, unique } from '#test/support/fixtures.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory({
  env: { ADMIN_EMAILS: 'Boss@example.com, second@example.com,third@example.com' },
});

interface Claims {
  readonly email?: string;
  readonly email_verified?: boolean | 'true' | 'false';
  readonly name?: string;
  readonly client_id?: string;
  readonly username?: string;
  /** When the token was issued, in seconds since the epoch; null for a token that does not say so. Now by default. */
  readonly iat?: number | null;
}

/** A token of the local issuer for the web client, with exactly these claims. */
const tokenOf = async (subject: string, { iat, ...claims }: Claims = {}): Promise<string> => {
  const jwk = JSON.parse(readFileSync(path.join(server.server.dataDir, 'issuer-key.json'), 'utf8')) as JWK;
  const issuedAt = iat === undefined ? Math.floor(Date.now() / 1000) : iat;
  const times = issuedAt === null ? {} : { iat: issuedAt };
  return await new SignJWT({ client_id: LOCAL_AUDIENCE, token_use: 'access', ...times, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: await calculateJwkThumbprint(jwk) })
    .setIssuer(issuerOf(server.server.port))
    .setSubject(subject)
    .setAudience(LOCAL_AUDIENCE)
    .setExpirationTime('1h')
    .sign(await importJWK(jwk, 'RS256'));
};

const profileOf = async (subject: string, claims: Claims = {}): Promise<User> => {
  const response = await server.call('GET', '/api/user/profile', { token: await tokenOf(subject, claims) });
  expect(response.status).toBe(200);
  return dataOf<User>(response);
};

const moderate = async (userId: string, body: object) => {
  const token = await server.token({ email: 'root@example.com', admin: true });
  const response = await server.call('PUT', `/api/admin/users/${userId}`, { token, body });
  expect(response.status).toBe(200);
};

it('a user becomes an administrator when a later token contains the verified address', async () => {
  const subject = unique('sub');
  expect(await profileOf(subject)).toMatchObject({ email: null, is_admin: false });
  expect(await profileOf(subject, { email: 'second@example.com' })).toMatchObject({
    email: 'second@example.com',
    is_admin: false,
  });
  const user = await profileOf(subject, { email: 'second@example.com', email_verified: true });
  expect(user).toMatchObject({ id: subject, email: 'second@example.com', role: 'admin', is_admin: true });
  const token = await tokenOf(subject);
  expect((await server.call('GET', '/api/admin/users', { token })).status).toBe(200);
});

it('the role by ADMIN_EMAILS applies on routes that do not store it, and is stored with the profile', async () => {
  const subject = unique('sub');
  const token = await tokenOf(subject, { email: 'second@example.com', email_verified: true });
  const stored = async () => (await scanTable(server)).find(({ pk }) => pk === `USER#${subject}`);
  expect((await server.call('GET', '/api/admin/users', { token })).status).toBe(200);
  const before = await stored();
  expect(before).toMatchObject({ id: subject, email: null });
  for (const attribute of ['role', 'is_admin', 'role_decided', 'is_banned'])
    expect(before).not.toHaveProperty(attribute);
  // The function that changes roles checks the stored role of the caller.
  expect(await server.call('PUT', `/api/admin/users/${subject}`, { token, body: { is_banned: true } })).toMatchObject({
    status: 409,
    body: { code: 'SELF_CHANGE' },
  });
  expect(await stored()).toMatchObject({ email: 'second@example.com', role: 'admin', is_admin: true });
  await moderate(subject, { role: 'user' });
  expect((await server.call('GET', '/api/admin/users', { token })).status).toBe(403);

  const other = unique('sub');
  const otherToken = await tokenOf(other, { email: 'boss@example.com', email_verified: true });
  await server.call('GET', '/api/projects', { token: otherToken });
  expect(await server.call('GET', '/api/user/profile', { token: otherToken })).toMatchObject(
    success({ role: 'admin', email: 'boss@example.com' }),
  );
  expect((await server.call('GET', '/api/admin/users', { token: await tokenOf(other) })).status).toBe(200);
});

it('a revoked role is not restored by ADMIN_EMAILS', async () => {
  const subject = unique('sub');
  const claims = { email: 'third@example.com', email_verified: true };
  expect(await profileOf(subject, claims)).toMatchObject({ is_admin: true });
  await moderate(subject, { is_admin: false });
  expect(await profileOf(subject, claims)).toMatchObject({ role: 'user', is_admin: false });

  // Revoked before a token contained the address.
  const other = unique('sub');
  await profileOf(other);
  await moderate(other, { role: 'admin' });
  await moderate(other, { role: 'user' });
  expect(await profileOf(other, claims)).toMatchObject({ email: 'third@example.com', is_admin: false });
});

it('an access token of Cognito without the claims of the trigger creates a user without address, and without the name of the client', async () => {
  const subject = unique('sub');
  const bare = { client_id: LOCAL_AUDIENCE, username: subject };
  expect(await profileOf(subject, bare)).toMatchObject({ id: subject, email: null, name: null, is_admin: false });
  // The client is not taken as the name without a username either.
  expect(await profileOf(unique('sub'))).toMatchObject({ email: null, name: null });
});

it('an access token of Cognito without the claims of the trigger can be followed by a token with an address, which is kept', async () => {
  const subject = unique('sub');
  await profileOf(subject, { username: subject });
  const claims = { username: subject, email: 'Late@example.com', email_verified: 'true', name: 'Late' } as const;
  expect(await profileOf(subject, claims)).toMatchObject({ email: 'late@example.com' });
  // A further token without the claims removes nothing.
  expect(await profileOf(subject, { username: subject })).toMatchObject({ email: 'late@example.com' });
});

/** A token as `address@seconds` after a first one, with `?` for an unverified address, and without a time where it has none. */
const claimsOf = (token: string, subject: string, first: number): Claims => {
  const [, word, unverified, after] = /^(\w+)(\??)(?:@(\d+))?$/.exec(token) ?? [];
  const iat = after === undefined ? null : first + Number(after);
  return { email: `${word}.${subject}@example.com`, email_verified: unverified === '', iat };
};

it.each([
  ['a newer token', 'old@0 new@60', 'new'],
  ['a newer token, whose older one is still in use on another device', 'old@0 new@60 old@0', 'new'],
  ['the newest of several', 'a@0 c@120 b@60 a@0', 'c'],
  ['a newer token with an address from before', 'a@0 b@60 a@120 b@60', 'a'],
  ['a verified one after unverified ones', 'x?@60 old@0', 'old'],
  ['a verified one, not a newer unverified one', 'old@0 new?@60', 'old'],
  ['a newer unverified one, where none is verified', 'a?@0 b?@60 a?@0', 'b?'],
  ['the first one, where tokens do not say when they were issued', 'a b', 'a'],
  ['one with a time after one without', 'a b@0 a', 'b'],
])('the address of a user is that of %s', async (_, tokens, expected) => {
  const subject = unique('sub');
  const first = Math.floor(Date.now() / 1000) - 600;
  for (const token of tokens.split(' ')) await profileOf(subject, claimsOf(token, subject, first));
  const { iat: _iat, ...address } = claimsOf(expected, subject, first);
  expect(await profileOf(subject)).toMatchObject(address);
});

it('mail goes to the address of the newest token, also about what was submitted before, and the console finds the user by it', async () => {
  const subject = unique('sub');
  const [before, after] = [`old.${subject}@example.com`, `new.${subject}@example.com`];
  const issuedAt = Math.floor(Date.now() / 1000);
  const token = await tokenOf(subject, { email: before, email_verified: true, iat: issuedAt - 60 });
  const person = { id: subject, email: before, name: 'Ada', token };
  const { id } = await directory.submit(person);
  await server.until(async () => (await mailsTo(server, person)).length === 1);

  // The first request with the new token is a plain read by a function that may not write roles.
  const changed = { ...person, email: after, token: await tokenOf(subject, { email: after, email_verified: true }) };
  expect(await directory.get('/api/me/submissions', changed)).toMatchObject({ status: 200 });
  await directory.adminOk('PUT', `/api/admin/projects/${id}/reject`, { reason: 'It is incomplete.' });
  await untilEventsDelivered(server, directory);
  expect((await mailsTo(server, changed)).map(({ text }) => text)).toEqual([
    expect.stringContaining('It is incomplete.') as string,
  ]);
  expect(await mailsTo(server, person)).toHaveLength(1);

  const found = (q: string) => directory.get(`/api/admin/users?q=${q}`, directory.admin);
  await server.until(async () =>
    dataOf<{ id: string }[]>(await found(`new.${subject}`)).some((user) => user.id === subject),
  );
  expect(dataOf<unknown[]>(await found(`old.${subject}`))).toEqual([]);
});

it('a later address in ADMIN_EMAILS gives no role to a user who had a verified one', async () => {
  const subject = unique('sub');
  const iat = Math.floor(Date.now() / 1000);
  await profileOf(subject, { email: `${subject}@example.com`, email_verified: true, iat: iat - 60 });
  const claims = { email: 'third@example.com', email_verified: true, iat };
  expect(await profileOf(subject, claims)).toMatchObject({ email: 'third@example.com', role: 'user', is_admin: false });
  expect(await server.call('GET', '/api/admin/users', { token: await tokenOf(subject, claims) })).toMatchObject({
    status: 403,
  });
});

it('an administrator by ADMIN_EMAILS stays one with another address', async () => {
  const subject = unique('sub');
  const iat = Math.floor(Date.now() / 1000);
  await profileOf(subject, { email: 'boss@example.com', email_verified: true, iat: iat - 60 });
  const email = `${subject}@example.com`;
  expect(await profileOf(subject, { email, email_verified: true, iat })).toMatchObject({ email, is_admin: true });
});

it('a service has its id as its name, unless the token contains one', async () => {
  const service = unique('service');
  expect(await profileOf(service, { client_id: service })).toMatchObject({ id: service, email: null, name: service });
  const named = unique('service');
  expect(await profileOf(named, { client_id: named, name: 'Importer' })).toMatchObject({ name: 'Importer' });
});

it('a user has the address and name of the claims of the trigger', async () => {
  const email = 'boss@example.com';
  const response = await server.call('GET', '/api/user/profile', { token: await server.token({ email, name: 'Ada' }) });
  expect(dataOf<User>(response)).toMatchObject({ email, name: 'Ada', is_admin: true });
});
