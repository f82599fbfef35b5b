import { readFileSync } from 'node:fs';
import path from 'node:path';
import { calculateJwkThumbprint, importJWK, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { User } from '#contract/users.ts';
import { issuerOf } from '#local/environment.ts';
import { LOCAL_AUDIENCE } from '#local/issuer.ts';
import { dataOf, unique } from '#test/support/fixtures.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** What the directory makes of identities that it sees for the first time, piece by piece. */

let world: TestWorld;

beforeAll(async () => {
  world = await startTestWorld({ env: { ADMIN_EMAILS: 'Boss@example.com, second@example.com,third@example.com' } });
});

afterAll(async () => {
  await world.stop();
});

interface Claims {
  readonly email?: string;
  readonly email_verified?: boolean | 'true' | 'false';
  readonly name?: string;
  readonly client_id?: string;
  readonly username?: string;
}

/** A token of the local issuer that says exactly this much of somebody, who has signed in with the web client. */
const tokenOf = async (subject: string, claims: Claims = {}): Promise<string> => {
  const jwk = JSON.parse(readFileSync(path.join(world.world.dataDir, 'issuer-key.json'), 'utf8')) as JWK;
  return await new SignJWT({ client_id: LOCAL_AUDIENCE, token_use: 'access', ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: await calculateJwkThumbprint(jwk) })
    .setIssuer(issuerOf(world.world.port))
    .setSubject(subject)
    .setAudience(LOCAL_AUDIENCE)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(await importJWK(jwk, 'RS256'));
};

const see = async (subject: string, claims: Claims = {}): Promise<User> => {
  const answer = await world.call('GET', '/api/user/profile', { token: await tokenOf(subject, claims) });
  expect(answer.status).toBe(200);
  return dataOf<User>(answer);
};

const decide = async (userId: string, body: object) => {
  const token = await world.token({ email: 'root@example.com', admin: true });
  const answer = await world.call('PUT', `/api/admin/users/${userId}`, { token, body });
  expect(answer.status).toBe(200);
};

it('makes an administrator of a verified address of the configuration, and of no other', async () => {
  expect(await see(unique('sub'), { email: 'boss@example.com', email_verified: true })).toMatchObject({
    role: 'admin',
    is_admin: true,
  });
  expect(await see(unique('sub'), { email: 'BOSS@Example.com', email_verified: true })).toMatchObject({
    is_admin: true,
    email: 'boss@example.com',
  });
  expect(await see(unique('sub'), { email: 'boss@example.com', email_verified: false })).toMatchObject({
    role: 'user',
    is_admin: false,
  });
  expect(await see(unique('sub'), { email: 'boss@example.com' })).toMatchObject({ is_admin: false });
  expect(await see(unique('sub'), { email: 'else@example.com', email_verified: true })).toMatchObject({
    is_admin: false,
  });
});

it('does so also when the address comes with a later token', async () => {
  const subject = unique('sub');
  expect(await see(subject)).toMatchObject({ email: null, is_admin: false });
  expect(await see(subject, { email: 'second@example.com' })).toMatchObject({
    email: 'second@example.com',
    is_admin: false,
  });
  const user = await see(subject, { email: 'second@example.com', email_verified: true });
  expect(user).toMatchObject({ id: subject, email: 'second@example.com', role: 'admin', is_admin: true });
  const token = await tokenOf(subject);
  expect((await world.call('GET', '/api/admin/users', { token })).status).toBe(200);
});

it('does not bring back an administrator whom another one has revoked', async () => {
  const subject = unique('sub');
  const claims = { email: 'third@example.com', email_verified: true };
  expect(await see(subject, claims)).toMatchObject({ is_admin: true });
  await decide(subject, { is_admin: false });
  expect(await see(subject, claims)).toMatchObject({ role: 'user', is_admin: false });

  // Nor one who was revoked before anybody knew his address.
  const other = unique('sub');
  await see(other);
  await decide(other, { role: 'admin' });
  await decide(other, { role: 'user' });
  expect(await see(other, claims)).toMatchObject({ email: 'third@example.com', is_admin: false });
});

it('makes one record of a first sight by many requests at once', async () => {
  const subject = unique('sub');
  const claims = { email: `${subject}@example.com`, email_verified: true, name: 'Many' };
  const users = await Promise.all(Array.from({ length: 10 }, () => see(subject, claims)));
  expect(new Set(users.map((user) => JSON.stringify(user))).size).toBe(1);
});

it('knows an address from a later token in the list of users at once', async () => {
  const subject = unique('sub');
  await see(subject);
  await see(subject, { email: `${subject}@example.com`, email_verified: true });
  const token = await world.token({ email: 'root@example.com', admin: true });
  const answer = await world.call('GET', `/api/admin/users?q=${subject}@`, { token });
  expect(dataOf<User[]>(answer)).toMatchObject([{ id: subject }]);
});

describe('a bare access token of Cognito, without the claims of the trigger', () => {
  it('makes a user without address and without the name of his client', async () => {
    const subject = unique('sub');
    const bare = { client_id: LOCAL_AUDIENCE, username: subject };
    expect(await see(subject, bare)).toMatchObject({ id: subject, email: null, name: null, is_admin: false });
    // Nor is it a name where the issuer knows no usernames.
    expect(await see(unique('sub'))).toMatchObject({ email: null, name: null });
  });

  it('leaves room for what a later one says', async () => {
    const subject = unique('sub');
    await see(subject, { username: subject });
    const claims = { username: subject, email: 'Late@example.com', email_verified: 'true', name: 'Late' } as const;
    expect(await see(subject, claims)).toMatchObject({ email: 'late@example.com' });
    // And one without it again takes nothing away.
    expect(await see(subject, { username: subject })).toMatchObject({ email: 'late@example.com' });
  });
});

it('calls a service by its id, unless it has a name', async () => {
  const service = unique('service');
  expect(await see(service, { client_id: service })).toMatchObject({ id: service, email: null, name: service });
  const named = unique('service');
  expect(await see(named, { client_id: named, name: 'Importer' })).toMatchObject({ name: 'Importer' });
});

it('knows a person by the claims that the trigger adds', async () => {
  const email = 'boss@example.com';
  const answer = await world.call('GET', '/api/user/profile', { token: await world.token({ email, name: 'Ada' }) });
  expect(dataOf<User>(answer)).toMatchObject({ email, name: 'Ada', is_admin: true });
});
