import { describe, expect, it, vi } from 'vitest';
import { loggable, RunFailed } from '#platform/loggable.ts';

/** What a log says of an error: what kind it is and where it comes from, and nothing of what it says or carries. */

const SECRET = 'jane.doe@example.com';

const errorsThatRepeat: readonly (readonly [string, () => unknown])[] = [
  ['text that is no JSON', () => JSON.parse(SECRET) as unknown],
  ['what is no address', () => new URL(SECRET)],
  ['a header that cannot be', () => new Headers({ x: `a\n${SECRET}` })],
  [
    'what a service was sent',
    () => {
      throw Object.assign(new Error(`No such mailbox: ${SECRET}`), { raw: { email: SECRET } });
    },
  ],
  [
    'words that look like calls',
    () => {
      throw new Error(`x\n    at ${SECRET}\n    at more (${SECRET})`);
    },
  ],
  [
    'words that look like calls, behind others',
    () => {
      const error = new Error(`x\n    at ${SECRET}\n    at more (${SECRET})`);
      // Written when it is first looked at.
      expect(error.stack).toContain(SECRET);
      error.message = 'something else';
      throw error;
    },
  ],
  [
    'a cause',
    () => {
      throw new Error('failed', { cause: new Error(SECRET) });
    },
  ],
  [
    'something that is no error',
    () => {
      throw SECRET as unknown as Error;
    },
  ],
  [
    'a name and a code',
    () => {
      throw Object.assign(new Error('x'), { name: `To ${SECRET}`, code: `To ${SECRET}` });
    },
  ],
];

describe('an error', () => {
  it.each(errorsThatRepeat)('that repeats %s is logged without it', (_, work) => {
    expect.hasAssertions();
    try {
      work();
    } catch (error) {
      expect(JSON.stringify(loggable(error))).not.toContain('jane.doe');
      expect(new RunFailed('mail.tellBuyer', error).message).not.toContain('jane.doe');
    }
  });

  it('is logged with its kind, its code and the calls that led to it', () => {
    const error = Object.assign(new TypeError('words'), { code: 'ECONNRESET' });
    expect(loggable(error)).toEqual({
      error_name: 'TypeError',
      error_code: 'ECONNRESET',
      error_stack: expect.arrayContaining([expect.stringContaining('loggable.test.ts')]) as string[],
    });
    expect(new RunFailed('mail.tellBuyer', error).message).toBe('mail.tellBuyer failed: TypeError ECONNRESET.');
  });
});

it('has the words of an error and of its causes on one machine, and nowhere else', () => {
  const error = new Error('outer', { cause: new TypeError('inner') });
  expect(loggable(error)).not.toHaveProperty('error_words');
  vi.stubEnv('LOG_ERROR_WORDS', 'on');
  expect(loggable(error)).toMatchObject({ error_name: 'Error', error_words: ['outer', 'inner'] });
  // What a function throws is read by others than whoever runs it.
  expect(new RunFailed('mail.tellSubmitter', error).message).toBe('mail.tellSubmitter failed: Error.');
  vi.unstubAllEnvs();
});
