import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { defineRoute, type Route, type RouteDeclaration } from '#contract/route.ts';
import { handle } from '#http/handle.ts';
import { streaming } from '#http/middleware/streaming.ts';
import { importHandler, type LambdaHandler } from '#local/handlers.ts';
import { provideStreaming } from '#local/lambda-streaming.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';
import restEvent from './rest-event.json' with { type: 'json' };

/** The events that handlers receive and the responses that clients get, with routes defined for this test. */

const common = { summary: 'A route of the test', auth: 'public', tier: 'none', permissions: [] } as const;
const route = (
  id: `${string}.${string}`,
  method: Route['method'],
  path: `/${string}`,
  more: Partial<Route> = {},
): Route => defineRoute(id, { ...common, method, path, responses: { 200: z.any() }, ...more } as RouteDeclaration);

const handlers: Record<string, LambdaHandler> = {};
const routes: Route[] = [];
const register = (one: Route, handler: LambdaHandler): void => {
  routes.push(one);
  handlers[one.id] = handler;
};
const text = (body: string, headers: Record<string, string> = {}) => ({
  statusCode: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body,
});

const echo: LambdaHandler = async (event, context) => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ event, remaining: context.getRemainingTimeInMillis(), requestId: context.awsRequestId }),
});

register(route('echo.read', 'GET', '/api/echo'), echo);
register(route('echo.write', 'POST', '/api/echo'), echo);
register(route('echo.one', 'GET', '/api/echo/{item}'), echo);
register(route('echo.deep', 'PUT', '/api/echo/{item}/parts/{part}', { timeoutSeconds: 20 }), echo);
register(route('echo.literal', 'GET', '/api/echo/literal'), async () => text('literal'));
register(route('fails.thrown', 'GET', '/api/throws'), async () => {
  throw new Error('an internal cause');
});
register(route('fails.malformed', 'GET', '/api/malformed'), async () => ({ nonsense: true }));
register(route('fails.late', 'GET', '/api/late', { timeoutSeconds: 0.05 }), () => new Promise(() => undefined));
register(route('fails.missing', 'GET', '/api/missing'), () => importHandler('fails.missing'));
register(route('sizes.large', 'GET', '/api/large'), async () =>
  text('abcdefgh'.repeat(1000), { etag: '"tag"', vary: 'Origin' }),
);
register(route('sizes.small', 'GET', '/api/small'), async () => text('a'.repeat(1024)));
register(route('sizes.binary', 'GET', '/api/binary'), async () => ({
  statusCode: 200,
  headers: { 'content-type': 'image/png' },
  body: Buffer.alloc(5000, 7).toString('base64'),
  isBase64Encoded: true,
}));
register(route('sizes.known', 'GET', '/api/known'), async () => ({
  statusCode: 304,
  headers: { etag: '"tag"' },
  body: '',
}));
register(route('sizes.cookies', 'GET', '/api/cookies'), async () => ({
  statusCode: 200,
  multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] },
  body: '',
}));

const csv = { stream: true, contentType: 'text/csv; charset=utf-8', description: 'Rows' } as const;
const produced = { chunks: 0, ended: false };
async function* rows(count: number): AsyncGenerator<string> {
  produced.chunks = 0;
  produced.ended = false;
  try {
    for (let row = 0; row < count; row += 1) {
      produced.chunks += 1;
      yield `${row},${'x'.repeat(16_000)}\n`;
    }
  } finally {
    produced.ended = true;
  }
}
const streamed = route('streams.rows', 'GET', '/api/rows', { responses: { 200: csv } });
const broken = route('streams.broken', 'GET', '/api/broken', { responses: { 200: csv } });
const disabled = route('streams.disabled', 'GET', '/api/disabled', { responses: { 200: csv }, feature: 'ai' });

let server: TestServer;

beforeAll(async () => {
  provideStreaming();
  register(streamed, handle(streamed, async () => ({ status: 200, stream: rows(2000) }), [streaming]) as never);
  register(
    broken,
    handle(broken, async () => {
      const half = async function* () {
        yield 'the first half\n';
        throw new Error('the second half is missing');
      };
      return { status: 200, stream: half() };
    }, [streaming]) as never,
  );
  register(disabled, handle(disabled, async () => ({ status: 200, stream: rows(1) }), [streaming]) as never);
  server = await startTestServer({
    timeoutFactor: 1,
    routes,
    importHandler: async (id) => handlers[id] ?? (await importHandler(id)),
    env: { ALLOWED_ORIGINS: 'https://front.example', FEATURE_AI: 'off' },
  });
});

afterAll(async () => {
  await server.stop();
});

interface Echo {
  event: APIGatewayProxyEvent;
  remaining: number;
  requestId: string;
}

const eventOf = async (...call: Parameters<TestServer['call']>): Promise<APIGatewayProxyEvent> => {
  const response = await server.call(...call);
  expect(response.status).toBe(200);
  return (response.body as Echo).event;
};

const bytesOf = async (
  path: string,
  headers: Record<string, string> = {},
): Promise<{ response: IncomingMessage; bytes: Buffer }> => {
  const { hostname, port } = new URL(server.url);
  const [response] = (await once(httpRequest({ hostname, port, path, headers, agent: false }).end(), 'response')) as [
    IncomingMessage,
  ];
  return { response, bytes: Buffer.concat(await response.toArray()) };
};

const rawResponse = async (request: string | Buffer): Promise<string> => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write(request);
  return Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
};

const NOT_FOUND = { error: 'Not found', code: 'NOT_FOUND' };
const METHOD_NOT_ALLOWED = { error: 'Method not allowed', code: 'METHOD_NOT_ALLOWED' };

it('a proxy event describes the request in the format of API Gateway', async () => {
  const response = await server.call('PUT', '/api/echo/caf%C3%A9%2Fbar/parts/%25', {
    rawBody: '{"a":"ü"}',
    headers: { 'X-Custom': 'One', 'content-type': 'application/json' },
  });
  const { event, remaining, requestId } = response.body as Echo;
  expect(event).toMatchObject({
    resource: '/api/echo/{item}/parts/{part}',
    path: '/api/echo/caf%C3%A9%2Fbar/parts/%25',
    httpMethod: 'PUT',
    pathParameters: { item: 'caf%C3%A9%2Fbar', part: '%25' },
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    body: '{"a":"ü"}',
    isBase64Encoded: false,
    requestContext: { stage: 'local', identity: { sourceIp: '127.0.0.1' }, requestId },
  });
  expect(event.headers).toMatchObject({ 'X-Custom': 'One', 'content-type': 'application/json' });
  expect(event.multiValueHeaders).toMatchObject({ 'X-Custom': ['One'] });
  expect(remaining).toBeGreaterThan(10_000);
  expect(remaining).toBeLessThanOrEqual(20_000);
});

it('a proxy event has the members and the encoding of an event of a REST API', async () => {
  const real = restEvent as unknown as APIGatewayProxyEvent;
  const { pathname, host } = new URL(`${server.url}${real.path}`);
  const query = 'a=1&a=2&b=x+y%26z&empty=&encoded=a%2Bb&plus=a+b';
  const lines = [
    `PUT ${pathname}?${query} HTTP/1.1`,
    `Host: ${host}`,
    'content-type: multipart/form-data; boundary=x',
    'x-custom: one',
    'x-custom: two',
    'Content-Length: 2',
    'Connection: close',
  ];
  const raw = await rawResponse(
    Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(String(real.body), 'base64')]),
  );
  const { event } = JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4)) as Echo;
  for (const member of [
    'resource',
    'path',
    'httpMethod',
    'pathParameters',
    'queryStringParameters',
    'multiValueQueryStringParameters',
    'stageVariables',
    'body',
    'isBase64Encoded',
  ] as const) {
    expect(event[member], member).toEqual(real[member]);
  }
  expect(event.headers).toMatchObject({ 'content-type': real.headers['content-type'], 'x-custom': 'two' });
  expect(event.multiValueHeaders['x-custom']).toEqual(real.multiValueHeaders['x-custom']);
  expect(Object.keys(event)).toEqual(expect.arrayContaining(Object.keys(real)));
  const { requestContext } = event;
  expect(Object.keys(requestContext)).toEqual(expect.arrayContaining(Object.keys(real.requestContext)));
  expect(Object.keys(requestContext.identity)).toEqual(
    expect.arrayContaining(Object.keys(real.requestContext.identity)),
  );
  // The path in the context begins with the stage.
  expect(requestContext.path).toBe(`/${requestContext.stage}${real.path}`);
  expect(real.requestContext.path).toBe(`/${real.requestContext.stage}${real.path}`);
  expect(requestContext.requestTime).toMatch(/^\d{2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}:\d{2}:\d{2} \+0000$/);
});

it('a proxy event has a unique request id', async () => {
  const [first, second] = [await eventOf('GET', '/api/echo'), await eventOf('GET', '/api/echo')];
  expect(first.requestContext.requestId).not.toBe(second.requestContext.requestId);
});

it('a proxy event has all values of repeated headers and query parameters', async () => {
  const query = 'a=1&a=2&b=&c&d=x%20y+z&e=%E2%82%AC&=nameless&__proto__=p&constructor=q';
  const event = await eventOf('GET', `/api/echo?${query}`, { headers: { 'x-forwarded-for': '1.2.3.4, 5.6.7.8' } });
  expect(event.multiValueQueryStringParameters).toEqual(
    Object.fromEntries([
      ['a', ['1', '2']],
      ['b', ['']],
      ['c', ['']],
      ['d', ['x y z']],
      ['e', ['€']],
      ['', ['nameless']],
      ['__proto__', ['p']],
      ['constructor', ['q']],
    ]),
  );
  expect(event.queryStringParameters?.['a']).toBe('2');
  expect(event.headers['x-forwarded-for']).toBe('1.2.3.4, 5.6.7.8');
  const raw = await rawResponse(
    'GET /api/echo HTTP/1.1\r\nHost: localhost\r\nX-A: 1\r\nx-a: 2\r\nConnection: close\r\n\r\n',
  );
  const body = JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4)) as Echo;
  expect(body.event.multiValueHeaders['X-A']).toEqual(['1', '2']);
  expect(body.event.headers['X-A']).toBe('2');
  const cookies = await eventOf('GET', '/api/echo', { headers: { Cookie: ['a=1', 'b=2; c=3'] } });
  expect(cookies.multiValueHeaders['Cookie']).toEqual(['a=1', 'b=2; c=3']);
  expect(cookies.headers['Cookie']).toBe('b=2; c=3');
});

it('a proxy event keeps query values that cannot be decoded', async () => {
  const event = await eventOf('GET', '/api/echo?a=%&b=%zz&c=%ff&d=%ED%A0%80&%=1');
  expect(event.multiValueQueryStringParameters).toEqual({
    a: ['%'],
    b: ['%zz'],
    c: ['%ff'],
    d: ['%ED%A0%80'],
    '%': ['1'],
  });
});

it('a proxy event has UTF-8 bodies as text, byte for byte, and others in base64', async () => {
  expect(await eventOf('POST', '/api/echo')).toMatchObject({ body: null, isBase64Encoded: false });
  expect(await eventOf('POST', '/api/echo', { rawBody: '\ufeff{}\r\n' })).toMatchObject({ body: '\ufeff{}\r\n' });
  const bytes = new Uint8Array([0xff, 0xfe, 0x00]);
  expect(await eventOf('POST', '/api/echo', { rawBody: bytes })).toMatchObject({
    body: '//4A',
    isBase64Encoded: true,
  });
});

it('a proxy event has bodies of binary media types in base64, also when they are text', async () => {
  const headers = { 'content-type': 'Multipart/Form-Data; boundary=x' };
  const sent = await eventOf('POST', '/api/echo', { rawBody: '--x--', headers });
  expect(sent).toMatchObject({ body: Buffer.from('--x--').toString('base64'), isBase64Encoded: true });
  expect(await eventOf('POST', '/api/echo', { headers })).toMatchObject({ body: null, isBase64Encoded: false });
});

it('routing prefers literal segments to variables and matches the path before the method', async () => {
  expect((await server.call('GET', '/api/echo/literal')).body).toBe('literal');
  expect((await server.call('PUT', '/api/echo/literal')).status).toBe(405);
});

it.each([
  ['GET', '/'.repeat(5)],
  ['GET', '/api/unknown'],
  ['GET', '/api/echo//'],
  ['GET', '/api/echo//parts/x'],
  ['GET', '/API/ECHO'],
  ['GET', '/api/echo/%'],
  ['GET', '/api/echo/%zz'],
  ['GET', '/api/echo/%ff'],
  ['GET', '/api/echo/%ED%A0%80'],
  ['GET', '/api/../api/echo'],
  ['GET', '*'],
  ['OPTIONS', '/api/unknown'],
  ['GET', '/_local/nonsense'],
  ['GET', '/docs/../package.json'],
  ['GET', '/docs/%2e%2e%2fpackage.json'],
])('routing returns 404 for %s %s', async (method, path) => {
  const response = await server.call(method, path);
  expect(response.status).toBe(404);
  expect(response.body).toEqual(NOT_FOUND);
  expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{20,}$/);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
});

it.each([
  ['/api/echo/', '/api/echo', null],
  ['/api/echo/literal/', undefined, undefined],
  ['/api/echo/x/', '/api/echo/{item}', { item: 'x' }],
])('routing ignores a slash at the end, which the event keeps: %s', async (path, resource, pathParameters) => {
  const { status, body } = await server.call('GET', `${path}?q=1`);
  expect(status).toBe(200);
  if (resource === undefined) expect(body).toBe('literal');
  else expect((body as Echo).event).toMatchObject({ resource, path, pathParameters });
});

it.each([
  ['DELETE', '/api/echo', 'GET, HEAD, POST, OPTIONS'],
  ['DELETE', '/api/echo/', 'GET, HEAD, POST, OPTIONS'],
  ['PATCH', '/api/echo', 'GET, HEAD, POST, OPTIONS'],
  ['TRACE', '/api/echo', 'GET, HEAD, POST, OPTIONS'],
  ['POST', '/_local/mail', 'GET, HEAD, OPTIONS'],
])('routing returns 405 for %s %s, and the methods of the path', async (method, path, allow) => {
  const response = await server.call(method, path);
  expect([response.status, response.body]).toEqual([405, METHOD_NOT_ALLOWED]);
  expect(response.headers.get('allow')).toBe(allow);
});

it.each(['/api/echo', '/', '/_local/mail', '/_local/.well-known/jwks.json'])(
  'routing answers HEAD %s like GET without a body',
  async (path) => {
    const [head, get] = [await server.call('HEAD', path), await server.call('GET', path)];
    expect([head.status, head.body]).toEqual([get.status, undefined]);
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
  },
);

it('routing accepts a request target in absolute form', async () => {
  const raw = await rawResponse(
    'GET http://somewhere/api/echo?x=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  );
  expect(raw).toContain('HTTP/1.1 200');
  expect(raw).toContain('"x":["1"]');
});

it('routing accepts a very long path variable', async () => {
  const event = await eventOf('GET', `/api/echo/${'x'.repeat(5000)}`);
  expect(event.pathParameters?.['item']).toHaveLength(5000);
});

it.each([
  ['text', 'rubbish\r\n\r\n'],
  ['another protocol', '\u0016\u0003\u0001\u0002\u0000\u0001'],
  ['a header without a name', 'GET /api/echo HTTP/1.1\r\n: x\r\n\r\n'],
  ['too many headers', `GET /api/echo HTTP/1.1\r\nX-A: ${'x'.repeat(20_000)}\r\n\r\n`],
  [
    'two different lengths',
    'POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
  ],
  [
    'both a length and chunked encoding',
    'POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['a length that is not a number', 'POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: many\r\n\r\n'],
])('a malformed request with %s gets a 400 in the shape of the contract', async (_, request) => {
  const raw = await rawResponse(request);
  expect(raw).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(raw).toMatch(/x-request-id: /);
  expect(JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4))).toMatchObject({
    code: 'INVALID_INPUT',
    details: { _errors: [expect.any(String)] },
  });
});

it.each(['FROBNICATE', 'PROPFIND', 'TRACE'])(
  'a request with the unknown method %s gets 405 on a known path',
  async (method) => {
    const request = (path: string, host: string) =>
      rawResponse(`${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    for (const path of ['/api/echo', '/api/echo?a=b', 'http://localhost/api/echo']) {
      const raw = await request(path, 'localhost');
      expect(raw).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
      expect(raw).toMatch(/\r\nallow: GET, HEAD, POST, OPTIONS\r\n/i);
      expect(raw).toMatch(/\r\nx-request-id: /);
      expect(raw).toContain('{"error":"Method not allowed","code":"METHOD_NOT_ALLOWED"}');
    }
    const unknown = await request('/api/nonsense', 'localhost');
    expect(unknown).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    expect(unknown).toContain('"code":"NOT_FOUND"');
    expect(await request('/api/echo', 'rebound.example')).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
  },
);

it('a request that ends in the middle of its body does not affect the server', async () => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  const headers = ['Host: localhost', 'Content-Length: 100', 'Expect: 100-continue'];
  socket.write(`POST /api/echo HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
  const [data] = (await once(socket, 'data')) as [Buffer];
  expect(data.toString()).toMatch(/^HTTP\/1\.1 100 /);
  await new Promise((resolve) => socket.write('half', resolve));
  socket.destroy();
  expect((await server.call('GET', '/api/echo')).status).toBe(200);
});

const tooLarge = { error: 'Payload too large', code: 'PAYLOAD_TOO_LARGE', message: 'The limit is 10485760 bytes.' };
const LIMIT = 10 * 1024 * 1024;

it('an oversized body is rejected by its Content-Length without being read', async () => {
  const raw = await rawResponse(`POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`);
  expect(raw).toMatch(/^HTTP\/1\.1 413 /);
  expect(raw).toContain('connection: close');
  expect(JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4))).toEqual(tooLarge);
});

it('an oversized body is rejected before it is sent when the client expects 100 Continue', async () => {
  const raw = await rawResponse(
    `POST /api/echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`,
  );
  expect(raw).toMatch(/^HTTP\/1\.1 413 /);
});

it('an oversized chunked body is rejected when it exceeds the limit', async () => {
  const { hostname, port } = new URL(server.url);
  const sent = httpRequest({ hostname, port, method: 'POST', path: '/api/echo', agent: false });
  // The server closes the connection after the response, so later writes fail.
  sent.on('error', () => undefined);
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  for (let megabyte = 0; megabyte < 12; megabyte += 1) sent.write(Buffer.alloc(1024 * 1024));
  const [response] = await answered;
  expect(response.statusCode).toBe(413);
  expect(JSON.parse(Buffer.concat(await response.toArray()).toString())).toEqual(tooLarge);
});

it('a body of more than ten megabytes is oversized', async () => {
  const response = await server.call('POST', '/api/echo', { rawBody: Buffer.alloc(LIMIT, 'a') });
  expect(response.status).toBe(200);
  expect((response.body as Echo).event.body).toHaveLength(LIMIT);
});

const encodedBody = (encoding: string, body: Buffer) =>
  server.call('POST', '/api/echo', { rawBody: body, headers: { 'content-encoding': encoding } });

it('a body with Content-Encoding: gzip is inflated', async () => {
  for (const encoding of ['gzip', 'GZIP', ' gzip ']) {
    const { status, body } = await encodedBody(encoding, gzipSync('{"name":"ü"}'));
    expect([status, (body as Echo).event.body]).toEqual([200, '{"name":"ü"}']);
  }
  expect(((await encodedBody('identity', Buffer.from('plain'))).body as Echo).event.body).toBe('plain');
});

it('the limit of a body counts its inflated bytes', async () => {
  const inflated = (await encodedBody('gzip', gzipSync(Buffer.alloc(LIMIT, 'a')))).body as Echo;
  expect(inflated.event.body).toHaveLength(LIMIT);
  expect(await encodedBody('gzip', gzipSync(Buffer.alloc(LIMIT + 1, 'a')))).toMatchObject({
    status: 413,
    body: { code: 'PAYLOAD_TOO_LARGE', message: `The limit is ${LIMIT} bytes.` },
  });
});

it.each([
  ['no gzip', 'gzip', Buffer.from('{"name":"x"}'), 400, 'INVALID_INPUT'],
  ['an incomplete body', 'gzip', gzipSync('abcdefgh').subarray(0, -4), 400, 'INVALID_INPUT'],
  ['a changed body', 'gzip', gzipSync('abcdefgh').fill(0, 10, 14), 400, 'INVALID_INPUT'],
  ['another encoding', 'br', brotliCompressSync('{}'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['an unknown encoding', 'x-none', Buffer.from('{}'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['two encodings', 'gzip, gzip', gzipSync(gzipSync('{}')), 415, 'UNSUPPORTED_MEDIA_TYPE'],
])('a body is rejected: %s', async (_, encoding, sent, status, code) => {
  const response = await encodedBody(encoding, sent);
  expect([response.status, response.body]).toMatchObject([status, { code }]);
});

it.each([
  ['gzip', 'gzip', gunzipSync],
  ['br', 'gzip;q=0.5, br', brotliDecompressSync],
  ['br', 'gzip, deflate, br, zstd', brotliDecompressSync],
  ['gzip', 'br;q=0, *', gunzipSync],
])('a response above 1 KB is compressed with %s for "%s" and keeps its ETag', async (encoding, accepted, unpack) => {
  const { response, bytes } = await bytesOf('/api/large', { 'accept-encoding': accepted });
  expect(response.headers['content-encoding']).toBe(encoding);
  expect(response.headers.etag).toBe('"tag"');
  expect(response.headers.vary).toBe('Origin, Accept-Encoding');
  expect(Number(response.headers['content-length'])).toBe(bytes.length);
  expect(bytes.length).toBeLessThan(1000);
  expect(unpack(bytes).toString()).toBe('abcdefgh'.repeat(1000));
});

it.each(['', 'identity', 'gzip;q=0', 'deflate', 'nonsense;;q=x'])(
  'a response is not compressed for Accept-Encoding "%s"',
  async (accepted) => {
    const { response, bytes } = await bytesOf('/api/large', { 'accept-encoding': accepted });
    expect(response.headers['content-encoding']).toBeUndefined();
    expect(response.headers.vary).toBe('Origin, Accept-Encoding');
    expect(bytes).toHaveLength(8000);
  },
);

it('a small or binary response is not compressed', async () => {
  const small = await bytesOf('/api/small', { 'accept-encoding': 'gzip' });
  expect([small.response.headers['content-encoding'], small.bytes.length]).toEqual([undefined, 1024]);
  const binary = await bytesOf('/api/binary', { 'accept-encoding': 'gzip' });
  expect([binary.response.headers['content-encoding'], binary.bytes.length]).toEqual([undefined, 5000]);
});

it('a response with status 304 has no body and no Content-Length', async () => {
  const { response, bytes } = await bytesOf('/api/known');
  expect([response.statusCode, response.headers['content-length'], bytes.length]).toEqual([304, undefined, 0]);
});

it('a response can repeat a header', async () => {
  const { response } = await bytesOf('/api/cookies');
  expect(response.headers['set-cookie']).toEqual(['a=1', 'b=2']);
});

it.each(['/api/throws', '/api/malformed', '/api/missing'])(
  'a failing function returns a 500 without the cause: %s',
  async (path) => {
    const response = await server.call('GET', path, { headers: { origin: 'https://front.example' } });
    expect(response.status).toBe(500);
    expect(response.body).toEqual({
      error: 'Internal error',
      code: 'INTERNAL',
      request_id: response.headers.get('x-request-id'),
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('https://front.example');
  },
);

it('a function returns a 504 after its timeout', async () => {
  const response = await server.call('GET', '/api/late');
  expect([response.status, response.body]).toEqual([504, { error: 'Gateway timeout', code: 'TIMEOUT' }]);
});

const preflight = (origin: string) =>
  server.call('OPTIONS', '/api/echo/x', { headers: { origin, 'access-control-request-method': 'PUT' } });

it('a preflight request of a configured origin gets the CORS headers', async () => {
  const { status, headers, body } = await preflight('https://front.example');
  expect([status, body]).toEqual([204, undefined]);
  expect(headers.get('access-control-allow-origin')).toBe('https://front.example');
  expect(headers.get('access-control-allow-credentials')).toBe('true');
  expect(headers.get('access-control-allow-methods')).toContain('PUT');
  expect(headers.get('access-control-allow-headers')).toContain('Authorization');
  expect(headers.get('vary')).toBe('Origin');
});

it('a preflight request of another origin gets no CORS headers', async () => {
  const { status, headers } = await preflight('https://evil.example');
  expect(status).toBe(204);
  expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
});

it('a streamed response arrives complete, with the headers of the middleware', async () => {
  const { response, bytes } = await bytesOf('/api/rows');
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(response.headers['x-request-id']).toMatch(/^[\w-]{20,}$/);
  expect(bytes.toString().split('\n')).toHaveLength(2001);
});

it('a streamed response is compressed by its function', async () => {
  const { response, bytes } = await bytesOf('/api/rows', { 'accept-encoding': 'gzip' });
  expect([response.headers['content-encoding'], response.headers.vary]).toEqual(['gzip', 'Origin, Accept-Encoding']);
  expect(gunzipSync(bytes).toString().split('\n')).toHaveLength(2001);
});

it('a streamed response is produced no faster than the client reads, and stops when the client disconnects', async () => {
  const { hostname, port } = new URL(server.url);
  const sent = httpRequest({ hostname, port, path: '/api/rows', agent: new Agent({ keepAlive: false }) }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response, 'readable');
  // Until the buffers between function and client are full, which takes longer on a busy machine.
  for (let made = -1; produced.chunks !== made; await wait(200)) made = produced.chunks;
  expect(produced.chunks).toBeLessThan(1500);
  response.destroy();
  await server.until(async () => produced.ended);
  expect(produced.chunks).toBeLessThan(2000);
});

it('a streamed response that fails in the middle is aborted, so that the client notices', async () => {
  for (const accepted of ['identity', 'gzip']) {
    await expect(bytesOf('/api/broken', { 'accept-encoding': accepted })).rejects.toThrow(
      /aborted|socket hang up|ECONNRESET/,
    );
  }
  expect((await server.call('GET', '/api/echo')).status).toBe(200);
});

it('a streamed response that the middleware rejects becomes an ordinary error', async () => {
  const response = await server.call('GET', '/api/disabled');
  expect([response.status, response.body]).toEqual([404, NOT_FOUND]);
});

it('listens on both loopback addresses', async () => {
  const { port } = new URL(server.url);
  for (const host of ['127.0.0.1', '[::1]']) {
    const response = await fetch(`http://${host}:${port}/api/echo`);
    expect(response.status).toBe(200);
    const { event } = (await response.json()) as Echo;
    expect(event.requestContext.identity.sourceIp).toBe(host.replace(/[[\]]/g, ''));
  }
});
