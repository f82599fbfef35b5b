import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

/** Where secrets come from, and that they are not asked for all the time. */

const ssm = mockClient(SSMClient);

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

it('is the variable where it is set, and nothing where neither is', async () => {
  vi.stubEnv('SOME_SECRET', 'plain');
  expect(await secret('SOME_SECRET')).toBe('plain');
  expect(await secret('OTHER_SECRET')).toBeUndefined();
  expect(ssm.calls()).toHaveLength(0);
});

it('is read from the parameter that is named, decrypted, and again after five minutes', async () => {
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

it('is read again by a process that was frozen, though its own clock stood still', async () => {
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

it('is none while the parameter has not been made', async () => {
  vi.stubEnv('SOME_SECRET_PARAMETER', '/directory/test/missing');
  ssm.on(GetParameterCommand).rejects(new ParameterNotFound({ message: 'none', $metadata: {} }));
  expect(await secret('SOME_SECRET')).toBeUndefined();
});

it('fails loudly when there is one that cannot be read, and is asked for again', async () => {
  vi.stubEnv('SOME_SECRET_PARAMETER', '/directory/test/locked');
  ssm
    .on(GetParameterCommand)
    .rejectsOnce(new Error('denied'))
    .resolves({ Parameter: { Value: 'there' } });
  await expect(secret('SOME_SECRET')).rejects.toThrow('denied');
  expect(await secret('SOME_SECRET')).toBe('there');
});
