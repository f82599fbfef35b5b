import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';

/** Secrets from variables and SSM parameters. */

const ssm = mockClient(SSMClient);
afterAll(() => ssm.restore());

let secret: (name: string) => Promise<string | undefined>;

beforeEach(async () => {
  vi.resetModules();
  ssm.reset();
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  ({ secret } = await import('#platform/secret.ts'));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

it('returns the variable, or undefined when neither variable nor parameter is set', async () => {
  vi.stubEnv('SOME_SECRET', 'plain');
  expect(await secret('SOME_SECRET')).toBe('plain');
  expect(await secret('OTHER_SECRET')).toBeUndefined();
  expect(ssm.calls()).toHaveLength(0);
});

it('reads and decrypts the named parameter, and reads it again after five minutes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.stubEnv('SOME_SECRET_PARAMETER', '/directory/test/some');
  ssm
    .on(GetParameterCommand)
    .resolvesOnce({ Parameter: { Value: 'old' } })
    .resolves({ Parameter: { Value: 'new' } });
  expect([await secret('SOME_SECRET'), await secret('SOME_SECRET')]).toEqual(['old', 'old']);
  expect(ssm.commandCalls(GetParameterCommand)[0]?.args[0].input).toEqual({
    Name: '/directory/test/some',
    WithDecryption: true,
  });
  vi.advanceTimersByTime(5 * 60_000);
  expect(await secret('SOME_SECRET')).toBe('new');
});

it('reads the parameter again when the process was frozen and its monotonic clock stopped', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.stubEnv('SOME_SECRET_PARAMETER', '/directory/test/some');
  ssm
    .on(GetParameterCommand)
    .resolvesOnce({ Parameter: { Value: 'old' } })
    .resolves({ Parameter: { Value: 'new' } });
  expect(await secret('SOME_SECRET')).toBe('old');
  vi.setSystemTime(Date.now() + 5 * 60_000);
  expect(await secret('SOME_SECRET')).toBe('new');
});

it('returns undefined while the parameter does not exist', async () => {
  vi.stubEnv('SOME_SECRET_PARAMETER', '/directory/test/missing');
  ssm.on(GetParameterCommand).rejects(new ParameterNotFound({ message: 'none', $metadata: {} }));
  expect(await secret('SOME_SECRET')).toBeUndefined();
});

it('throws when the parameter cannot be read, and reads it again at the next call', async () => {
  vi.stubEnv('SOME_SECRET_PARAMETER', '/directory/test/locked');
  ssm
    .on(GetParameterCommand)
    .rejectsOnce(new Error('denied'))
    .resolves({ Parameter: { Value: 'there' } });
  await expect(secret('SOME_SECRET')).rejects.toThrow('denied');
  expect(await secret('SOME_SECRET')).toBe('there');
});
