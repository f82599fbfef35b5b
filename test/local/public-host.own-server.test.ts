import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, expect, it } from 'vitest';
import type { Import, ImportUpload } from '#contract/imports.ts';
import { dataOf } from '#test/support/fixtures.ts';
import { IMPORTS } from '#test/support/imports.ts';
import { OWN_SECRETS } from '#test/support/server.ts';
import { ownServer } from '#test/support/with-directory.ts';

/** A server that other machines can connect to: `HOST`, with an issuer and secrets of its operator. */

const { publicKey, privateKey } = await generateKeyPair('RS256');
const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }] };
const issuerServer = createServer((_, response) => response.end(JSON.stringify(keys))).listen(0, '127.0.0.1');
await once(issuerServer, 'listening');
const issuer = `http://127.0.0.1:${(issuerServer.address() as AddressInfo).port}`;

const server = await ownServer({
  env: {
    ...OWN_SECRETS,
    HOST: '0.0.0.0',
    SITE_URL: 'http://directory.example/',
    OIDC_ISSUER: issuer,
    OIDC_JWKS_URI: `${issuer}/keys`,
    OIDC_AUDIENCES: 'the-directory',
    ADMIN_EMAILS: 'ada@example.com',
  },
});

afterAll(() => {
  issuerServer.close();
  issuerServer.closeAllConnections();
});

const token = await new SignJWT({ aud: 'the-directory', email: 'ada@example.com', email_verified: true })
  .setProtectedHeader({ alg: 'RS256', kid: 'one' })
  .setIssuer(issuer)
  .setSubject('ada')
  .setIssuedAt()
  .setExpirationTime('1 hour')
  .sign(privateKey);

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request to an address of this machine, under any name. `fetch` does not set `Host`. */
const send = async (address: string, host: string, path: string, { method = 'GET', headers, body }: Sent = {}) => {
  const options = { host: address, port: server.server.port, path, method, agent: false };
  const sent = request({ ...options, headers: { ...headers, host } }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, text: Buffer.concat(await response.toArray()).toString() };
};

it('every address of the machine answers, under any name', async () => {
  for (const address of ['127.0.0.1', ...(process.platform === 'linux' ? ['127.0.0.2'] : [])]) {
    for (const host of ['directory.example', '203.0.113.5:3000', 'localhost']) {
      expect(await send(address, host, '/api/categories')).toMatchObject({ status: 200 });
    }
  }
});

it('the issuer of the operator signs people in', async () => {
  expect(await server.call('GET', '/api/admin/projects', { token })).toMatchObject({ status: 200 });
});

it('what is only for the user of this machine is switched off, under names of this machine too', async () => {
  for (const path of [
    '/_local/mail',
    '/_local/events',
    '/_local/dead-letters',
    '/_local/authorize',
    '/_local/checkout/x',
    '/_local/samples/x.svg',
  ]) {
    for (const host of ['directory.example', 'localhost']) {
      expect([path, await send('127.0.0.1', host, path)]).toMatchObject([path, { status: 404 }]);
    }
  }
  const body = { email: 'mallory@example.com', admin: true };
  expect(await server.call('POST', '/_local/token', { body })).toMatchObject({ status: 404 });
});

it('no page leads to what is switched off', async () => {
  const { status, text } = await send('127.0.0.1', 'directory.example', '/');
  expect(status).toBe(200);
  expect(text).not.toContain('_local');
});

it('there are no payments without a provider of the operator, because the page of the mock is switched off', async () => {
  const category = await server.call('POST', '/api/admin/categories', {
    token,
    body: { name: 'Tools', slug: 'tools' },
  });
  expect(category.status).toBe(201);
  const body = {
    plan: 'premium',
    name: 'Lamp',
    url: 'https://lamp.example',
    description: 'A lamp.',
    categories: ['tools'],
    pricing_type: 'free',
  };
  expect(await server.call('POST', '/api/projects', { token, body })).toMatchObject({ status: 503 });
  expect(await server.call('POST', '/api/projects', { token, body: { ...body, plan: 'standard' } })).toMatchObject({
    status: 201,
  });
});

it('a large file is uploaded to the public address, and read by the service on this machine', async () => {
  const file = 'name,url,description,categories,pricing_type\nDesk,https://desk.example,A desk.,tools,free\n';
  const announced = await server.call('POST', IMPORTS, { token, body: { filename: 'some.csv', bytes: file.length } });
  const { id, upload } = dataOf<ImportUpload>(announced);
  const { origin, host, pathname, search } = new URL(upload.url);
  expect(origin).toBe('http://directory.example');
  const console = await server.call('GET', '/console');
  expect(console.headers.get('content-security-policy')).toContain(`connect-src 'self' ${issuer} ${origin}`);
  const sent = { method: 'PUT', headers: upload.headers, body: file };
  expect(await send('127.0.0.1', host, `${pathname}${search}`, sent)).toMatchObject({ status: 200 });
  // A proxy may send another name.
  expect(await send('127.0.0.1', 'localhost:3000', `${pathname}${search}`, sent)).toMatchObject({ status: 412 });
  expect(await send('127.0.0.1', host, pathname, sent)).toMatchObject({ status: 403 });
  const preview = await server.call('GET', `${IMPORTS}/${id}/preview`, { token });
  expect(JSON.stringify(preview.body)).toContain('https://desk.example');
  expect(dataOf<Import>(await server.call('GET', `${IMPORTS}/${id}`, { token }))).toMatchObject({ state: 'uploaded' });
});
