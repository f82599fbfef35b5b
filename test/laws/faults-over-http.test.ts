import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { Route } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { importDoor, type LambdaHandler } from '#local/doors.ts';
import { dynamo } from '#platform/dynamo.ts';
import { type CallAnswer, type Client, clientOf } from '#test/support/client.ts';
import { type Furnished, furnish } from '#test/support/furnished.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** What callers of every route see when the service itself is at fault: the contract's shape and nothing of the cause. */

const CAUSE = 'the cause that nobody is told';
const CRON_SECRET = 'the-secret-of-this-test';
/** How long a route may take here, in seconds: short enough to wait for, long enough for a request to come through. */
const TIME_LIMIT_SECONDS = 2;
const HANGING = 'x-hanging';
const BROKEN = 'x-broken';

const named = routes.map((route) => ({ id: route.id, route }));

let world: TestWorld;
let client: Client;
let furnished: Furnished;

interface Request {
  readonly headers: Readonly<Record<string, string>>;
}

/** The event of a request that cannot be read to its end, as if a part that reads it had a fault. */
const broken = (event: Request): Request =>
  Object.defineProperty({ ...event }, 'pathParameters', {
    enumerable: false,
    get: () => {
      throw new Error(CAUSE);
    },
  });

/** The door of a route, which stumbles or never comes to an end when the caller asks for that. */
const faulty = async (id: string): Promise<LambdaHandler> => {
  const door = await importDoor(id);
  // Those that stream are given what they write to between event and context.
  const faultyDoor = async (event: Request, ...rest: unknown[]): Promise<unknown> => {
    if (event.headers?.[HANGING]) return await new Promise(() => undefined);
    return await (door as (...given: unknown[]) => Promise<unknown>)(
      event.headers?.[BROKEN] ? broken(event) : event,
      ...rest,
    );
  };
  return Object.assign(faultyDoor, door) as LambdaHandler;
};

beforeAll(async () => {
  world = await startTestWorld({
    env: { FEATURE_AI: 'on', WEBHOOK_ALLOW_PRIVATE: 'on', CRON_SECRET },
    routes: routes.map((route) => ({ ...route, timeoutSeconds: TIME_LIMIT_SECONDS })),
    importDoor: faulty,
  });
  // These are the service's routes, so their answers are held to the document all the same.
  client = clientOf(world.url);
  furnished = await furnish(world);
});

afterEach(() => vi.restoreAllMocks());

afterAll(async () => {
  client.close();
  await world.stop();
});

const send = (route: Route, headers: Record<string, string> = {}): Promise<CallAnswer> =>
  client.call(route.method, furnished.pathOf(route), {
    token: route.auth === 'cron' ? CRON_SECRET : furnished.admin.token,
    headers,
    uncounted: true,
  });

const internal = ({ headers }: CallAnswer) => ({
  status: 500,
  body: { error: 'Internal error', code: 'INTERNAL', request_id: headers.get('x-request-id') },
});

const tableAway = (): void => {
  vi.spyOn(dynamo(), 'send').mockImplementation(() => {
    throw new Error(CAUSE);
  });
};

it.each(named)('$id answers a fault with 500, the id of the request and nothing of the cause', async ({ route }) => {
  const answer = await send(route, { [BROKEN]: 'yes' });
  expect({ status: answer.status, body: answer.body }).toEqual(internal(answer));
});

it('no route says why it cannot serve while the table is away, and all serve again when it is back', async () => {
  tableAway();
  const answers = await Promise.all(routes.map(async (route) => ({ route, answer: await send(route) })));
  for (const { answer } of answers) expect(JSON.stringify(answer.body)).not.toContain(CAUSE);
  // Whoever has to be known cannot be known without the table.
  for (const { route, answer } of answers.filter(({ route: { auth } }) => auth === 'user' || auth === 'admin'))
    expect([route.id, answer.status, answer.body]).toEqual([route.id, 500, internal(answer).body]);
  vi.restoreAllMocks();
  const reading = routes.filter(({ method, auth }) => method === 'GET' && auth !== 'cron');
  for (const route of reading) expect([route.id, (await send(route)).status]).not.toEqual([route.id, 500]);
});

it('every route that does not come to an end is answered 504 in time', async () => {
  const answers = await Promise.all(
    named.map(async ({ id, route }) => ({ id, ...(await send(route, { [HANGING]: 'yes' })) })),
  );
  for (const { id, status, body } of answers)
    expect([id, status, body]).toEqual([id, 504, { error: 'Timeout', code: 'TIMEOUT' }]);
});

it('a door whose table does not answer says so itself, before anybody ends it', async () => {
  const table = dynamo();
  const answered = table.send.bind(table) as (command: unknown) => Promise<unknown>;
  const sending = vi.spyOn(table as { send: typeof answered }, 'send');
  sending.mockImplementation((command) =>
    command instanceof QueryCommand ? new Promise(() => undefined) : answered(command),
  );
  const answer = await client.call('GET', '/api/admin/reports', { token: furnished.admin.token });
  expect([answer.status, answer.body]).toEqual([504, { error: 'Timeout', code: 'TIMEOUT' }]);
  // The gateway knows of no quota: this is the door's own answer.
  expect(answer.headers.get('ratelimit')).not.toBeNull();
});
