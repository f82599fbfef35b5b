import { expect, it } from 'vitest';
import {
  type Directory,
  dataOf,
  type Person,
  person,
  type Submitted,
  submission,
  unique,
} from '#test/support/fixtures.ts';
import type { TestServer } from '#test/support/server.ts';
import { type TableFault, type TableProxy, throttlingErrors } from '#test/support/table-proxy.ts';
import { withTableProxy } from '#test/support/with-directory.ts';

/** Requests while the table throttles for longer than the time of a request. */

let proxy: TableProxy;
let server: TestServer;
let directory: Directory;
let owner: Person;

withTableProxy(
  async (context) => {
    ({ proxy, server, directory } = context);
    owner = await person(context.server);
  },
  { timeoutFactor: 1 },
);

const submit = (name: string) =>
  directory.as(owner, 'POST', '/api/projects', submission({ name, categories: [directory.category] }));

/** Throttles the transactions of a submission until the proxy recovers. */
const throttle = (name: string, fault: TableFault): void =>
  proxy.fail(({ operation, body }) => (operation === 'TransactWriteItems' && body.includes(name) ? fault : undefined));

it.each(throttlingErrors)(
  'a submission returns 503 with Retry-After and is not stored when %s lasts',
  async (_, fault) => {
    const name = unique('throttled');
    throttle(name, fault);
    const { status, headers, body } = await submit(name);
    expect([status, body]).toMatchObject([503, { error: 'Unavailable', code: 'UNAVAILABLE' }]);
    const { retryAfter } = body as { retryAfter: number };
    expect(retryAfter).toBeGreaterThan(0);
    expect(headers.get('retry-after')).toBe(String(retryAfter));
    proxy.recover();
    expect(dataOf<Submitted>(await submit(name)).slug).toBe(name);
  },
);

it('a submission with an idempotency key returns 503 when the key cannot be released either, and can be repeated', async () => {
  const name = unique('throttled');
  proxy.fail(({ operation, body }) =>
    (operation === 'TransactWriteItems' && body.includes(name)) ||
    (operation === 'UpdateItem' && body.includes('IDEMPOTENCY#'))
      ? { type: 'InternalServerError' }
      : undefined,
  );
  const body = submission({ name, categories: [directory.category] });
  const send = () => directory.as(owner, 'POST', '/api/projects', body, { 'idempotency-key': name });
  expect(await send()).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
  proxy.recover();
  // Until the time of the first request is over, its key is in use.
  await server.until(async () => (await send()).status === 201);
  expect(dataOf<Submitted>(await send()).slug).toBe(name);
});

it('a throttled read returns 503 with Retry-After', async () => {
  proxy.fail(({ operation, body }) =>
    operation === 'GetItem' && body.includes('USER#') ? { type: 'ProvisionedThroughputExceededException' } : undefined,
  );
  const { status, headers, body } = await directory.get('/api/user/profile', owner);
  expect([status, body]).toMatchObject([503, { error: 'Unavailable', code: 'UNAVAILABLE' }]);
  expect(headers.get('retry-after')).not.toBeNull();
});
