import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Route } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { importHandler, type LambdaHandler } from '#local/handlers.ts';
import { Unavailable } from '#platform/unavailable.ts';
import { type CallResponse, type Client, clientOf } from '#test/support/client.ts';
import { longTest } from '#test/support/long-test.ts';
import { sampleOf } from '#test/support/sample.ts';
import { type Seeded, seed } from '#test/support/seed.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';
import { interceptTable } from '#test/support/table-calls.ts';

/** Responses of every route to unexpected errors: the contract's shape without the cause. */

const CAUSE = 'the confidential cause';
const CRON_SECRET = 'the-secret-of-this-test';
/** The timeout of requests that are to be answered with 504, and of all other requests, in seconds. */
const SHORT_SECONDS = 2;
const LONG_SECONDS = 29;

/** The current timeout of all routes, in seconds. */
let timeoutSeconds = LONG_SECONDS;

const HANGING = 'x-hanging';
const BROKEN = 'x-broken';
const UNAVAILABLE = 'x-unavailable';

const named = sampleOf(routes, 1).map((route) => ({ id: route.id, route }));

let server: TestServer;
let client: Client;
let seeded: Seeded;

interface Request {
  readonly headers: Readonly<Record<string, string>>;
}

/** An event that throws when its path parameters are read. */
const broken = (event: Request, error: Error): Request =>
  Object.defineProperty({ ...event }, 'pathParameters', {
    enumerable: false,
    get: () => {
      throw error;
    },
  });

/** The event of a request, which throws when the request has the header for that. */
const faulty = (event: Request): Request => {
  if (event.headers?.[BROKEN]) return broken(event, new Error(CAUSE));
  return event.headers?.[UNAVAILABLE] ? broken(event, new Unavailable(CAUSE)) : event;
};

/** The handler of a route, which fails or hangs when the request has the header for that. */
const importFaultyHandler = async (id: string): Promise<LambdaHandler> => {
  const handler = await importHandler(id);
  // Streaming handlers receive the response stream between event and context.
  const faultyHandler = async (event: Request, ...rest: unknown[]): Promise<unknown> => {
    if (event.headers?.[HANGING]) return await new Promise(() => undefined);
    return await (handler as (...args: unknown[]) => Promise<unknown>)(faulty(event), ...rest);
  };
  return Object.assign(faultyHandler, handler) as LambdaHandler;
};

beforeAll(async () => {
  server = await startTestServer({
    timeoutFactor: 1,
    env: { FEATURE_AI: 'on', WEBHOOK_ALLOW_PRIVATE: 'on', CRON_SECRET },
    routes: routes.map((route) => Object.defineProperty({ ...route }, 'timeoutSeconds', { get: () => timeoutSeconds })),
    importHandler: importFaultyHandler,
  });
  // With custom `routes`, the server's own client does not validate responses against the API document; this one does.
  client = clientOf(server.url);
  seeded = await seed(server);
});

afterEach(() => {
  timeoutSeconds = LONG_SECONDS;
});

afterAll(async () => {
  client.close();
  await server.stop();
});

const send = (route: Route, headers: Record<string, string> = {}): Promise<CallResponse> =>
  client.call(route.method, seeded.pathOf(route), {
    token: route.auth === 'cron' ? CRON_SECRET : seeded.admin.token,
    headers,
    uncounted: true,
  });

const internal = ({ headers }: CallResponse) => ({
  status: 500,
  body: { error: 'Internal error', code: 'INTERNAL', request_id: headers.get('x-request-id') },
});

it.each(named)(
  '$id returns 500 with the request id and without the cause for an unexpected error',
  async ({ route }) => {
    const response = await send(route, { [BROKEN]: 'yes' });
    expect({ status: response.status, body: response.body }).toEqual(internal(response));
  },
);

it.each(named)('$id returns 503 with Retry-After while a dependency is unavailable', async ({ route }) => {
  const { status, headers, body } = await send(route, { [UNAVAILABLE]: 'yes' });
  expect({ status, body }).toEqual({
    status: 503,
    body: { error: 'Unavailable', code: 'UNAVAILABLE', retryAfter: expect.any(Number) as number },
  });
  expect(headers.get('retry-after')).toBe(String((body as { retryAfter: number }).retryAfter));
});

longTest('no route reveals the cause while the table is unavailable, and all recover with it', async () => {
  const recover = interceptTable(() => Promise.reject(new Error(CAUSE)));
  const responses = await Promise.all(routes.map(async (route) => ({ route, response: await send(route) })));
  for (const { response } of responses) expect(JSON.stringify(response.body)).not.toContain(CAUSE);
  // Authentication requires the table.
  for (const { route, response } of responses.filter(({ route: { auth } }) => auth === 'user' || auth === 'admin'))
    expect([route.id, response.status, response.body]).toEqual([route.id, 500, internal(response).body]);
  recover();
  const reads = routes.filter(({ method, auth }) => method === 'GET' && auth !== 'cron');
  for (const route of reads) expect([route.id, (await send(route)).status]).not.toEqual([route.id, 500]);
});

longTest('every route returns 504 when its handler hangs', async () => {
  timeoutSeconds = SHORT_SECONDS;
  const responses = await Promise.all(
    named.map(async ({ id, route }) => ({ id, ...(await send(route, { [HANGING]: 'yes' })) })),
  );
  for (const { id, status, body } of responses)
    expect([id, status, body]).toEqual([id, 504, { error: 'Gateway timeout', code: 'TIMEOUT' }]);
});

longTest('a handler returns 504 itself when the table does not respond', async () => {
  interceptTable(({ operation }, next) => (operation === 'Query' ? new Promise(() => undefined) : next()));
  timeoutSeconds = SHORT_SECONDS;
  const response = await client.call('GET', '/api/admin/reports', { token: seeded.admin.token });
  expect([response.status, response.body]).toEqual([504, { error: 'Gateway timeout', code: 'TIMEOUT' }]);
  // Only the handler adds the quota; the gateway's 504 has none.
  expect(response.headers.get('ratelimit')).not.toBeNull();
});
