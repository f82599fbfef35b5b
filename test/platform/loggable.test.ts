import { expect, it, vi } from 'vitest';
import { loggable, RunFailed } from '#platform/log.ts';

/** The loggable part of an error: its kind and stack, without message and properties. */

const SECRET = 'jane.doe@example.com';

const errorsWithInput: readonly (readonly [string, () => unknown])[] = [
  ['malformed JSON', () => JSON.parse(SECRET) as unknown],
  ['an invalid URL', () => new URL(SECRET)],
  ['an invalid header', () => new Headers({ x: `a\n${SECRET}` })],
  [
    'the input of a service in message and property',
    () => {
      throw Object.assign(new Error(`No such mailbox: ${SECRET}`), { raw: { email: SECRET } });
    },
  ],
  [
    'a message that looks like stack frames',
    () => {
      throw new Error(`x\n    at ${SECRET}\n    at more (${SECRET})`);
    },
  ],
  [
    'such a message that was replaced later',
    () => {
      const error = new Error(`x\n    at ${SECRET}\n    at more (${SECRET})`);
      // The stack is captured on first access.
      expect(error.stack).toContain(SECRET);
      error.message = 'something else';
      throw error;
    },
  ],
  [
    'a message of the cause',
    () => {
      throw new Error('failed', { cause: new Error(SECRET) });
    },
  ],
  [
    'a thrown string',
    () => {
      throw SECRET as unknown as Error;
    },
  ],
  [
    'name and code',
    () => {
      throw Object.assign(new Error('x'), { name: `To ${SECRET}`, code: `To ${SECRET}` });
    },
  ],
];

it.each(errorsWithInput)('an error is logged without input that it repeats: %s', (_, run) => {
  expect.hasAssertions();
  try {
    run();
  } catch (error) {
    expect(JSON.stringify(loggable(error))).not.toContain('jane.doe');
    expect(new RunFailed('mail.notifyBuyer', error).message).not.toContain('jane.doe');
  }
});

it('an error is logged with name, code and stack frames', () => {
  const error = Object.assign(new TypeError('message'), { code: 'ECONNRESET' });
  expect(loggable(error)).toEqual({
    name: 'TypeError',
    code: 'ECONNRESET',
    stack: expect.arrayContaining([expect.stringContaining('loggable.test.ts')]) as string[],
  });
  expect(new RunFailed('mail.notifyBuyer', error).message).toBe('mail.notifyBuyer failed: TypeError ECONNRESET.');
});

it('includes the messages of an error and its causes only with LOG_ERROR_MESSAGES', () => {
  const error = new Error('outer', { cause: new TypeError('inner') });
  expect(loggable(error)).not.toHaveProperty('messages');
  vi.stubEnv('LOG_ERROR_MESSAGES', 'on');
  expect(loggable(error)).toMatchObject({ name: 'Error', messages: ['outer', 'inner'] });
  // Errors thrown by a function are logged by the runtime, so they never contain messages.
  expect(new RunFailed('mail.notifySubmitter', error).message).toBe('mail.notifySubmitter failed: Error.');
  vi.unstubAllEnvs();
});
