import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import { clientOf } from '#test/support/client.ts';
import { Directory, dataOf, person, type Submitted, submission, unique } from '#test/support/fixtures.ts';
import { ownServer, ownTableProxy } from '#test/support/with-directory.ts';

/** The timeout of a submission that is to be answered with 504, and of all other requests, in seconds. */
const SHORT_SECONDS = 2;
const LONG_SECONDS = 29;

let submissionSeconds = LONG_SECONDS;

const proxy = await ownTableProxy();
const server = await ownServer({
  env: proxy.env,
  timeoutFactor: 1,
  routes: routes.map((route) =>
    route.id === 'projects.submit'
      ? Object.defineProperty({ ...route }, 'timeoutSeconds', { get: () => submissionSeconds })
      : { ...route, timeoutSeconds: LONG_SECONDS },
  ),
});
// With custom `routes`, the server's own client does not validate responses against the API document; this one does.
const client = clientOf(server.url);
const directory = await Directory.create(client);
const owner = await person(client);

afterAll(() => client.close());

const TIMED_OUT = { status: 504, body: { error: 'Gateway timeout', code: 'TIMEOUT' } };

const submit = (name: string) =>
  directory.as(owner, 'POST', '/api/projects', submission({ name, categories: [directory.category] }));

it('a submission writes nothing after 504 when a read responds later', async () => {
  const name = unique('late');
  const released = Promise.withResolvers<undefined>();
  const writes: string[] = [];
  proxy.fail(({ operation, body }) => {
    if (operation === 'TransactWriteItems' && body.includes(name)) writes.push(operation);
    return operation.includes('Get') && body.includes(name) ? released.promise : undefined;
  });
  submissionSeconds = SHORT_SECONDS;
  expect(await submit(name)).toMatchObject(TIMED_OUT);
  submissionSeconds = LONG_SECONDS;
  released.resolve(undefined);
  // Long enough for the held request to continue.
  await wait(1000);
  expect(writes).toEqual([]);
  proxy.recover();
  expect(dataOf<Submitted>(await submit(name)).slug).toBe(name);
});

it('a submission does not repeat a write after 504', async () => {
  const name = unique('late');
  let isAnswered = false;
  const late: string[] = [];
  proxy.fail(({ operation, body }) => {
    if (operation !== 'TransactWriteItems' || !body.includes(name)) return undefined;
    if (isAnswered) late.push(operation);
    return 'hang';
  });
  submissionSeconds = SHORT_SECONDS;
  expect(await submit(name)).toMatchObject(TIMED_OUT);
  submissionSeconds = LONG_SECONDS;
  isAnswered = true;
  // The SDK repeats a request without a response after five seconds.
  await wait(6000);
  expect(late).toEqual([]);
  proxy.recover();
  expect(dataOf<Submitted>(await submit(name)).slug).toBe(name);
});
