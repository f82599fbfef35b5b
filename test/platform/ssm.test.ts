import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';

/** Secrets from variables and SSM parameters. */

interface Response {
  readonly status: number;
  readonly body: object;
}

const value = (Value: string): Response => ({ status: 200, body: { Parameter: { Value } } });
const failure = (type: string): Response => ({ status: 400, body: { __type: type, message: 'no' } });

let requests: { readonly target: unknown; readonly input: unknown }[];
/** The next responses; the last one repeats. */
let responses: readonly Response[];

let server: Server;
beforeAll(async () => {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests.push({ target: request.headers['x-amz-target'], input: JSON.parse(await text(request)) });
    const [next = failure('Unexpected'), ...rest] = responses;
    if (rest.length > 0) responses = rest;
    response.writeHead(next.status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(next.body));
  };
  server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

let secret: (name: string) => Promise<string | undefined>;

beforeEach(async () => {
  vi.resetModules();
  requests = [];
  responses = [];
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_ENDPOINT_URL_SSM', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  ({ secret } = await import('#platform/ssm.ts'));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

it('returns the variable, or undefined when neither variable nor parameter is set', async () => {
  vi.stubEnv('SOME_SECRET', 'plain');
  expect(await secret('SOME_SECRET')).toBe('plain');
  expect(await secret('OTHER_SECRET')).toBeUndefined();
  expect(requests).toEqual([]);
});

it('reads and decrypts the named parameter, and reads it again after five minutes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.stubEnv('SOME_SECRET_PARAMETER', '/directory/test/some');
  responses = [value('old'), value('new')];
  expect([await secret('SOME_SECRET'), await secret('SOME_SECRET')]).toEqual(['old', 'old']);
  const input = { Name: '/directory/test/some', WithDecryption: true };
  expect(requests).toEqual([{ target: 'AmazonSSM.GetParameter', input }]);
  vi.advanceTimersByTime(5 * 60_000);
  expect(await secret('SOME_SECRET')).toBe('new');
});

it('reads the parameter again when the process was frozen and its monotonic clock stopped', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.stubEnv('SOME_SECRET_PARAMETER', '/directory/test/some');
  responses = [value('old'), value('new')];
  expect(await secret('SOME_SECRET')).toBe('old');
  vi.setSystemTime(Date.now() + 5 * 60_000);
  expect(await secret('SOME_SECRET')).toBe('new');
});

it('returns undefined while the parameter does not exist', async () => {
  vi.stubEnv('SOME_SECRET_PARAMETER', '/directory/test/missing');
  responses = [failure('ParameterNotFound')];
  expect(await secret('SOME_SECRET')).toBeUndefined();
});

it('throws when the parameter cannot be read, and reads it again at the next call', async () => {
  vi.stubEnv('SOME_SECRET_PARAMETER', '/directory/test/locked');
  responses = [failure('AccessDeniedException'), value('there')];
  await expect(secret('SOME_SECRET')).rejects.toMatchObject({ name: 'AccessDeniedException', $fault: 'client' });
  expect(await secret('SOME_SECRET')).toBe('there');
});
