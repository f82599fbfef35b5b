import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Route } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { BANNED, ban, FORBIDDEN, NOT_FOUND, person, STALE } from '#test/support/fixtures.ts';
import { variablesOf } from '#test/support/requests.ts';
import { sampleOf } from '#test/support/sample.ts';
import { seed } from '#test/support/seed.ts';
import type { TestServer } from '#test/support/server.ts';
import { ownServer } from '#test/support/with-directory.ts';

/** Client errors of every route to which they apply: bodies, bans, cross-site requests, stale ETags. */

let checks = 0;

/** The routes of the next check, each check with another sample: they follow from the table of routes. */
const named = (applies: (route: Route) => boolean) => {
  checks += 1;
  return sampleOf(routes.filter(applies), checks).map((route) => ({ id: route.id, route }));
};

const writes = ({ method }: Route): boolean => method !== 'GET';
const authenticates = ({ auth }: Route): boolean => auth === 'user' || auth === 'admin' || auth === 'optional';
const acceptsBody = ({ body, bodyKind }: Route): boolean => body !== undefined || bodyKind === 'multipart';
const isStreamed = ({ responses }: Route): boolean =>
  Object.values(responses).some((response) => 'stream' in response && response.stream);

/** Routes of a live project that every user may use; all others with a path variable are for the owner. */
const FOR_EVERY_USER = /^(?:votes\.\w+|ratings\.\w+|bookmarks\.\w+|comments\.add|reports\.file|claims\.open)$/;
const isForOwners = ({ id }: Route): boolean => !FOR_EVERY_USER.test(id);

const CRON_SECRET = 'the-secret-of-this-test';
const JSON_BYTES_MAX = 256 * 1024;
const UPLOAD_BYTES_MAX = 10 * 1024 * 1024;

const server = await ownServer({
  env: {
    FEATURE_AI: 'on',
    WEBHOOK_ALLOW_PRIVATE: 'on',
    CRON_SECRET,
    INDEXNOW_KEY: 'indexnow-key',
    // Nothing is there.
    INDEXNOW_ENDPOINT: 'http://127.0.0.1:9/',
  },
});
const seeded = await seed(server);
const banned = await person(server, { admin: true });
await seeded.directory.ok(banned, 'GET', '/api/user/profile');
await ban(banned);

const tokenFor = ({ id, auth }: Route): string => {
  if (id === 'apiKeys.current') return seeded.key.key;
  return auth === 'cron' ? CRON_SECRET : seeded.admin.token;
};

const send = (route: Route, options: Parameters<TestServer['call']>[2] = {}) =>
  server.call(route.method, seeded.pathOf(route), { token: tokenFor(route), ...options });

it.each(named((route) => acceptsBody(route) || route.auth === 'signature'))(
  '$id returns 413 to a body above the limit',
  async ({ route }) => {
    const bytes = (route.bodyKind === 'multipart' ? UPLOAD_BYTES_MAX : JSON_BYTES_MAX) + 1;
    const response = await send(route, { rawBody: `"${'x'.repeat(bytes)}"` });
    expect(response).toMatchObject({ status: 413, body: { error: 'Payload too large', code: 'PAYLOAD_TOO_LARGE' } });
    expect((response.body as { message: string }).message).toMatch(/\d/);
  },
);

it.each(named(acceptsBody))('$id returns 415 to a body of another type', async ({ route }) => {
  const response = await send(route, { rawBody: '{}', headers: { 'content-type': 'text/plain' } });
  expect(response).toMatchObject({
    status: 415,
    body: { error: 'Unsupported media type', code: 'UNSUPPORTED_MEDIA_TYPE' },
  });
});

const parsesJson = ({ body, bodyKind, auth }: Route): boolean =>
  body !== undefined && bodyKind !== 'multipart' && auth !== 'signature';

it.each(named(parsesJson))('$id reads a compressed body behind a byte order mark', async ({ route }) => {
  const headers = { 'content-type': 'application/json' };
  // Of a form that no route takes, and not malformed: the details name what is wrong in it.
  const [plain, marked] = [
    await send(route, { rawBody: '[]', headers }),
    await send(route, { rawBody: gzipSync('\ufeff[]'), headers: { ...headers, 'content-encoding': 'gzip' } }),
  ];
  expect(plain.body).not.toMatchObject({ details: { _errors: ['The body is not valid JSON.'] } });
  expect([marked.status, marked.body]).toEqual([plain.status, plain.body]);
});

it('every path is found with a slash at the end', async () => {
  for (const path of new Set(routes.map((route) => seeded.pathOf(route)))) {
    const [known, slashed] = [path, `${path}/`].map((one) => server.call('PATCH', one));
    const expected = { status: 405, allow: (await known)?.headers.get('allow') };
    expect(expected.allow).toContain('OPTIONS');
    const response = await slashed;
    expect([path, response?.status, response?.headers.get('allow')]).toEqual([path, ...Object.values(expected)]);
  }
});

it.each(
  named((route) => route.auth === 'admin' || (writes(route) && authenticates(route) && route.allowsBanned !== true)),
)('$id returns 403 BANNED to a banned administrator regardless of input', async ({ route }) => {
  expect(await send(route, { token: banned.token })).toMatchObject(BANNED);
  if (writes(route)) expect(await send(route, { token: banned.token, rawBody: '{' })).toMatchObject(BANNED);
});

it.each(named((route) => writes(route) && authenticates(route)))(
  '$id returns 403 to a cookie in a cross-site request',
  async ({ route }) => {
    const cookie = `directory_token=${seeded.admin.token}`;
    for (const headers of [{}, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const response = await server.call(route.method, seeded.pathOf(route), { headers: { cookie, ...headers } });
      expect(response).toMatchObject(FORBIDDEN);
    }
  },
);

/** Inputs that are invalid on every route that takes any: a body that is malformed or of another type, a wrong query. */
const INVALID_INPUTS = [
  { rawBody: '{' },
  { rawBody: '{}', headers: { 'content-type': 'text/plain' } },
  { rawBody: `"${'x'.repeat(JSON_BYTES_MAX)}"` },
] as const;
const INVALID_QUERY = '?page=none&limit=none&range=none&groupBy=none';

/** Sends a request with every invalid input. */
const sendInvalid = (route: Route, path: string, token: string) =>
  Promise.all(
    (route.method === 'GET' ? [{}] : INVALID_INPUTS).map((input) =>
      server.call(route.method, `${path}${INVALID_QUERY}`, { token, ...input }),
    ),
  );

// `console.read` answers an unknown page with the console, and pages of the site answer with a page.
it.each(named((route) => variablesOf(route).length > 0 && route.notFoundPage === undefined && !route.errorPages))(
  '$id returns 404 for a resource that does not exist, whatever the input',
  async ({ route }) => {
    for (const variable of variablesOf(route)) {
      const path = seeded.pathOf(route, { [variable]: `missing-${variable}` });
      for (const response of await sendInvalid(route, path, tokenFor(route))) expect(response).toMatchObject(NOT_FOUND);
    }
  },
);

it.each(named((route) => variablesOf(route).includes('project') && route.auth !== 'admin' && !route.errorPages))(
  '$id returns 404 for a project that the caller may not see, whatever the input',
  async ({ route }) => {
    const { id } = await seeded.directory.submit(seeded.admin);
    const stranger = await person(server);
    const responses = await sendInvalid(route, seeded.pathOf(route, { project: id }), stranger.token);
    for (const response of responses) expect(response).toMatchObject(NOT_FOUND);
  },
);

it.each(named((route) => variablesOf(route).length > 0 && route.auth === 'user' && isForOwners(route)))(
  '$id returns 403 or 404 to a stranger, whatever the input',
  async ({ route }) => {
    const stranger = await person(server);
    const expected = route.failures?.includes('FORBIDDEN') ? FORBIDDEN : NOT_FOUND;
    const responses = await sendInvalid(route, seeded.pathOf(route), stranger.token);
    for (const response of responses) expect(response).toMatchObject(expected);
  },
);

it.each(named((route) => route.ifMatch === true))('$id returns 412 to a stale ETag', async ({ route }) => {
  expect(
    await send(route, { body: { reason: 'Stale.', content: {} }, headers: { 'if-match': '"stale"' } }),
  ).toMatchObject(STALE);
});

it.each(named((route) => !writes(route) && route.auth !== 'cron' && !isStreamed(route)))(
  '$id returns 304 without a body to a matching If-None-Match',
  async ({ route }) => {
    const query = route.id === 'users.votes' ? '?ids=prj_1' : '';
    const path = `${seeded.pathOf(route)}${query}`;
    for (;;) {
      const first = await server.call('GET', path, { token: tokenFor(route) });
      expect(first).toMatchObject({ status: 200 });
      const tag = first.headers.get('etag') ?? '';
      const second = await server.call('GET', path, { token: tokenFor(route), headers: { 'if-none-match': tag } });
      if (second.status === 304) return expect(second.body).toBeUndefined();
      // An event that is being delivered may have changed it in between.
      expect(second.body).not.toEqual(first.body);
    }
  },
);
