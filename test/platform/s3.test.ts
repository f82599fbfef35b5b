import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { signUpload } from '#platform/s3.ts';
import { consoleFile } from '#services/admin/console.ts';

const folder = mkdtempSync(join(tmpdir(), 'console-'));

beforeEach(() => {
  for (const [name, value] of Object.entries({
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKID',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'abc+/def==',
    AWS_ENDPOINT_URL: '',
    AWS_ENDPOINT_URL_S3: '',
    TABLE_NAME: 'directory',
    UPLOAD_BUCKET: 'my-bucket',
    SIGN_IN_ISSUER: 'https://id.example/pool',
    CONSOLE_FOLDER: folder,
  })) {
    vi.stubEnv(name, value);
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
});

afterAll(() => rmSync(folder, { recursive: true }));

it('the URL of an upload signs its size and that the file must not exist, for 15 minutes', async () => {
  const { method, url, headers } = await signUpload('imp_1', 12, new Date('2026-11-22T14:00:00Z'));
  expect({ method, headers }).toEqual({ method: 'PUT', headers: { 'content-length': '12', 'if-none-match': '*' } });
  const { origin, pathname, searchParams } = new URL(url);
  expect(`${origin}${pathname}`).toBe('https://my-bucket.s3.eu-central-1.amazonaws.com/imp_1');
  expect(Object.fromEntries(searchParams)).toEqual({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
    'X-Amz-Credential': 'AKID/20261122/eu-central-1/s3/aws4_request',
    'X-Amz-Date': '20261122T140000Z',
    'X-Amz-Expires': '900',
    'X-Amz-Security-Token': 'abc+/def==',
    'X-Amz-Signature': 'b286db2ce03659206e98d9100a39ac2e87740329ad3e7746c0de0844be962cc2',
    'X-Amz-SignedHeaders': 'content-length;host;if-none-match',
    'x-id': 'PutObject',
  });
});

it('the console may connect to the issuer and to the bucket, and to no other host', async () => {
  writeFileSync(join(folder, 'page-1.html'), '<!doctype html>');
  const { headers } = (await consoleFile({ file: 'imports', rest: undefined, hasTrailingSlash: false })) as {
    headers: Readonly<Record<string, string>>;
  };
  expect(headers['content-security-policy']?.split('; ')).toContain(
    "connect-src 'self' https://id.example https://my-bucket.s3.eu-central-1.amazonaws.com",
  );
});
