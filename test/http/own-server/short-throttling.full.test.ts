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
import { type TableFault, type TableProxy, throttlingErrors } from '#test/support/table-proxy.ts';
import { withTableProxy } from '#test/support/with-directory.ts';

/** Requests while the table throttles for a short time. They have more time than on AWS, for a busy machine. */

let proxy: TableProxy;
let directory: Directory;
let owner: Person;

withTableProxy(async (context) => {
  ({ proxy, directory } = context);
  owner = await person(context.server);
});

const submit = (name: string) =>
  directory.as(owner, 'POST', '/api/projects', submission({ name, categories: [directory.category] }));

/** Throttles the transactions of a submission. @param count how many of them. */
const throttle = (name: string, fault: TableFault, count: number): void => {
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
  const response = await submit(name);
  expect(response.status).toBe(201);
  expect(dataOf<Submitted>(response).slug).toBe(name);
});
