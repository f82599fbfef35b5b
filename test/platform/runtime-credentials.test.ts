import { afterEach, describe, expect, it } from 'vitest';
import { defaultProvider } from '#platform/runtime-credentials.ts';

const before = { ...process.env };
afterEach(() => {
  process.env = before;
});

describe('the credentials of a function', () => {
  it('are read from the variables of the Lambda runtime', async () => {
    process.env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key', AWS_SESSION_TOKEN: 'token' };
    expect(await defaultProvider()()).toEqual({ accessKeyId: 'id', secretAccessKey: 'key', sessionToken: 'token' });
    delete process.env.AWS_SESSION_TOKEN;
    expect(await defaultProvider()()).toEqual({ accessKeyId: 'id', secretAccessKey: 'key' });
  });

  it('throws an error that names the missing variable', async () => {
    process.env = { AWS_SECRET_ACCESS_KEY: 'key' };
    await expect(defaultProvider()()).rejects.toThrow('AWS_ACCESS_KEY_ID');
  });
});
