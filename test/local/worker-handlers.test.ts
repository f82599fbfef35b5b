import { afterAll, expect, it } from 'vitest';
import { lambdaContext } from '#local/lambda-context.ts';
import { openWorkerHandlers } from '#local/worker-handlers.ts';
import { longTest } from '#test/support/long-test.ts';

const worker = openWorkerHandlers();

afterAll(async () => {
  await worker.stop();
});

const invoke = async (id: string, event: unknown): Promise<unknown> =>
  await (await worker.importHandler(id))(event, lambdaContext(id, 'a request', 10));

const tokenEvent = (email: string) => ({
  triggerSource: 'TokenGeneration_HostedAuth',
  request: { userAttributes: { email, email_verified: 'true' } },
  response: {},
});

longTest('concurrent handlers in the worker thread return their own results', async () => {
  const emails = ['one@example.com', 'two@example.com', 'three@example.com'];
  const results = await Promise.all(emails.map((email) => invoke('identity.addClaims', tokenEvent(email))));
  for (const [position, email] of emails.entries()) expect(JSON.stringify(results[position])).toContain(email);
});

it('an error in the worker thread is the error of its invocation', async () => {
  await expect(invoke('nothing.here', {})).rejects.toThrow('functions/nothing/here.ts does not exist');
});

it('invocations fail when the worker thread ends, and the next one starts another thread', async () => {
  // A thread that is still starting cannot have answered.
  await worker.stop();
  const addClaims = await worker.importHandler('identity.addClaims');
  const invocation = addClaims(tokenEvent('one@example.com'), lambdaContext('identity.addClaims', 'a request', 10));
  const ended = expect(invocation).rejects.toThrow('The worker thread ended.');
  await worker.stop();
  await ended;
  expect(JSON.stringify(await invoke('identity.addClaims', tokenEvent('two@example.com')))).toContain(
    'two@example.com',
  );
});
