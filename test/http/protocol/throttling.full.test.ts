import { expect, it } from 'vitest';
import { dataOf, person, type Submitted, submission, unique } from '#test/support/fixtures.ts';
import { type TableFault, throttlingErrors } from '#test/support/table-proxy.ts';
import { ownDirectory, ownTableProxy } from '#test/support/with-directory.ts';

const proxy = await ownTableProxy();
const { server, directory } = await ownDirectory({ env: proxy.env, timeoutFactor: 1 });
const owner = await person(directory.server);

const submit = (name: string) =>
  directory.as(owner, 'POST', '/api/projects', submission({ name, categories: [directory.category] }));

/** Throttles the next transactions of a submission, by default until the proxy recovers. */
const throttle = (name: string, fault: TableFault, count = Number.POSITIVE_INFINITY): void => {
  let left = count;
  proxy.fail(({ operation, body }) => {
    if (operation !== 'TransactWriteItems' || !body.includes(name)) return undefined;
    left -= 1;
    return left < 0 ? undefined : fault;
  });
};

it.each(throttlingErrors)('a submission succeeds once %s has ended', async (_, fault) => {
  const name = unique('throttled');
  throttle(name, fault, 5);
  expect(dataOf<Submitted>(await submit(name)).slug).toBe(name);
});

it.each(throttlingErrors)('a submission returns 503 and is not stored when %s lasts', async (_, fault) => {
  const name = unique('throttled');
  throttle(name, fault);
  expect(await submit(name)).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
  proxy.recover();
  expect(dataOf<Submitted>(await submit(name)).slug).toBe(name);
});

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
