import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineRoute, type Route } from '#contract/route.ts';
import { handle } from '#http/handle.ts';
import { streaming } from '#http/streaming.ts';
import { importDoor, type LambdaHandler } from '#local/doors.ts';
import { provideStreaming } from '#local/lambda-streaming.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** What arrives at a handler, and what becomes of its answer, with doors made for the purpose. */

const common = { summary: 'A door of the test', auth: 'public', tier: 'none', needs: [] } as const;
const route = (
  id: `${string}.${string}`,
  method: Route['method'],
  path: `/${string}`,
  more: Partial<Route> = {},
): Route => defineRoute(id, { ...common, method, path, replies: { 200: z.any() }, ...more });

const doors: Record<string, LambdaHandler> = {};
const routes: Route[] = [];
const door = (one: Route, handler: LambdaHandler): void => {
  routes.push(one);
  doors[one.id] = handler;
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

door(route('echo.read', 'GET', '/api/echo'), echo);
door(route('echo.write', 'POST', '/api/echo'), echo);
door(route('echo.one', 'GET', '/api/echo/{item}'), echo);
door(route('echo.deep', 'PUT', '/api/echo/{item}/parts/{part}', { timeoutSeconds: 20 }), echo);
door(route('echo.literal', 'GET', '/api/echo/literal'), async () => text('literal'));
door(route('fails.thrown', 'GET', '/api/throws'), async () => {
  throw new Error('the cause that nobody is told');
});
door(route('fails.malformed', 'GET', '/api/malformed'), async () => ({ nonsense: true }));
door(route('fails.late', 'GET', '/api/late', { timeoutSeconds: 0.05 }), async () => {
  await wait(1000);
  return text('too late');
});
door(route('fails.missing', 'GET', '/api/missing'), () => importDoor('fails.missing'));
door(route('sizes.large', 'GET', '/api/large'), async () =>
  text('abcdefgh'.repeat(1000), { etag: '"tag"', vary: 'Origin' }),
);
door(route('sizes.small', 'GET', '/api/small'), async () => text('a'.repeat(1024)));
door(route('sizes.binary', 'GET', '/api/binary'), async () => ({
  statusCode: 200,
  headers: { 'content-type': 'image/png' },
  body: Buffer.alloc(5000, 7).toString('base64'),
  isBase64Encoded: true,
}));
door(route('sizes.known', 'GET', '/api/known'), async () => ({
  statusCode: 304,
  headers: { etag: '"tag"' },
  body: '',
}));
door(route('sizes.cookies', 'GET', '/api/cookies'), async () => ({
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
const streamed = route('streams.rows', 'GET', '/api/rows', { replies: { 200: csv } });
const broken = route('streams.broken', 'GET', '/api/broken', { replies: { 200: csv } });
const gone = route('streams.gone', 'GET', '/api/gone', { replies: { 200: csv }, feature: 'ai' });

let world: TestWorld;

beforeAll(async () => {
  provideStreaming();
  door(streamed, handle(streamed, {}, async () => ({ status: 200, stream: rows(2000) }), { streaming }) as never);
  door(
    broken,
    handle(
      broken,
      {},
      async () => {
        const half = async function* () {
          yield 'the first half\n';
          throw new Error('the second half is missing');
        };
        return { status: 200, stream: half() };
      },
      { streaming },
    ) as never,
  );
  door(gone, handle(gone, {}, async () => ({ status: 200, stream: rows(1) }), { streaming }) as never);
  world = await startTestWorld({
    routes,
    importDoor: async (id) => doors[id] ?? (await importDoor(id)),
    env: { ALLOWED_ORIGINS: 'https://front.example', FEATURE_AI: 'off' },
  });
});

afterAll(async () => {
  await world.stop();
});

interface Echo {
  event: APIGatewayProxyEvent;
  remaining: number;
  requestId: string;
}

const eventOf = async (...call: Parameters<TestWorld['call']>): Promise<APIGatewayProxyEvent> => {
  const answer = await world.call(...call);
  expect(answer.status).toBe(200);
  return (answer.body as Echo).event;
};

const bytesOf = async (
  path: string,
  headers: Record<string, string> = {},
): Promise<{ answer: IncomingMessage; bytes: Buffer }> => {
  const { hostname, port } = new URL(world.url);
  const [answer] = (await once(httpRequest({ hostname, port, path, headers, agent: false }).end(), 'response')) as [
    IncomingMessage,
  ];
  return { answer, bytes: Buffer.concat(await answer.toArray()) };
};

const rawAnswer = async (request: string): Promise<string> => {
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1');
  socket.write(request);
  return Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
};

const NOT_FOUND = { error: 'Not found', code: 'NOT_FOUND' };

describe('an event', () => {
  it('has the request in the form of the REST gateway', async () => {
    const answer = await world.call('PUT', '/api/echo/caf%C3%A9%2Fbar/parts/%25', {
      rawBody: '{"a":"ü"}',
      headers: { 'X-Custom': 'One', 'content-type': 'application/json' },
    });
    const { event, remaining, requestId } = answer.body as Echo;
    expect(event).toMatchObject({
      resource: '/api/echo/{item}/parts/{part}',
      path: '/api/echo/caf%C3%A9%2Fbar/parts/%25',
      httpMethod: 'PUT',
      pathParameters: { item: 'café/bar', part: '%' },
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      body: '{"a":"ü"}',
      isBase64Encoded: false,
      requestContext: { stage: 'local', identity: { sourceIp: '127.0.0.1' }, requestId },
    });
    expect(event.headers).toMatchObject({ 'x-custom': 'One', 'content-type': 'application/json' });
    expect(event.multiValueHeaders).toMatchObject({ 'x-custom': ['One'] });
    expect(remaining).toBeGreaterThan(19_000);
    expect(remaining).toBeLessThanOrEqual(20_000);
  });

  it('gives a request id of its own to each request', async () => {
    const [first, second] = [await eventOf('GET', '/api/echo'), await eventOf('GET', '/api/echo')];
    expect(first.requestContext.requestId).not.toBe(second.requestContext.requestId);
  });

  it('has every value of a header and of a query parameter', async () => {
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
    const raw = await rawAnswer('GET /api/echo HTTP/1.1\r\nHost: x\r\nX-A: 1\r\nx-a: 2\r\nConnection: close\r\n\r\n');
    const body = JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4)) as Echo;
    expect(body.event.multiValueHeaders['x-a']).toEqual(['1', '2']);
    expect(body.event.headers['x-a']).toBe('1, 2');
  });

  it('keeps what cannot be decoded in a query as it is', async () => {
    const event = await eventOf('GET', '/api/echo?a=%&b=%zz&c=%ff&d=%ED%A0%80&%=1');
    expect(event.multiValueQueryStringParameters).toEqual({
      a: ['%'],
      b: ['%zz'],
      c: ['%ff'],
      d: ['%ED%A0%80'],
      '%': ['1'],
    });
  });

  it('has text as text, byte for byte, and everything else as base64', async () => {
    expect(await eventOf('POST', '/api/echo')).toMatchObject({ body: null, isBase64Encoded: false });
    expect(await eventOf('POST', '/api/echo', { rawBody: '\ufeff{}\r\n' })).toMatchObject({ body: '\ufeff{}\r\n' });
    const bytes = new Uint8Array([0xff, 0xfe, 0x00]);
    expect(await eventOf('POST', '/api/echo', { rawBody: bytes })).toMatchObject({
      body: '//4A',
      isBase64Encoded: true,
    });
  });
});

describe('a path', () => {
  it('prefers what is written literally to a variable, and is decided before the method', async () => {
    expect((await world.call('GET', '/api/echo/literal')).body).toBe('literal');
    expect((await world.call('PUT', '/api/echo/literal')).body).toEqual(NOT_FOUND);
  });

  it.each([
    ['GET', '/'.repeat(5)],
    ['GET', '/api/unknown'],
    ['GET', '/api/echo/'],
    ['GET', '/api/echo//parts/x'],
    ['GET', '/API/ECHO'],
    ['GET', '/api/echo/%'],
    ['GET', '/api/echo/%zz'],
    ['GET', '/api/echo/%ff'],
    ['GET', '/api/echo/%ED%A0%80'],
    ['GET', '/api/../api/echo'],
    ['GET', '*'],
    ['DELETE', '/api/echo'],
    ['PATCH', '/api/echo'],
    ['TRACE', '/api/echo'],
    ['OPTIONS', '/api/unknown'],
    ['GET', '/_local/nonsense'],
    ['POST', '/_local/mail'],
    ['GET', '/docs/../package.json'],
    ['GET', '/docs/%2e%2e%2fpackage.json'],
  ])('%s %s is not found', async (method, path) => {
    const answer = await world.call(method, path);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(NOT_FOUND);
    expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{20,}$/);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('knows no HEAD', async () => {
    const answer = await world.call('HEAD', '/api/echo');
    expect([answer.status, answer.body]).toEqual([404, undefined]);
  });

  it('may be written as a whole address', async () => {
    const raw = await rawAnswer('GET http://somewhere/api/echo?x=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(raw).toContain('HTTP/1.1 200');
    expect(raw).toContain('"x":["1"]');
  });

  it('may have a very long variable', async () => {
    const event = await eventOf('GET', `/api/echo/${'x'.repeat(5000)}`);
    expect(event.pathParameters?.['item']).toHaveLength(5000);
  });
});

describe('what is not HTTP', () => {
  it.each([
    ['rubbish', 'rubbish\r\n\r\n'],
    ['another protocol', '\u0016\u0003\u0001\u0002\u0000\u0001'],
    ['a header without a name', 'GET /api/echo HTTP/1.1\r\n: x\r\n\r\n'],
    ['too many headers', `GET /api/echo HTTP/1.1\r\nX-A: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['two lengths', 'POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'length and pieces',
      'POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['no length that is a number', 'POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n'],
  ])('%s is answered with 400 in shape', async (_, request) => {
    const raw = await rawAnswer(request);
    expect(raw).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(raw).toMatch(/x-request-id: /);
    expect(JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4))).toMatchObject({
      code: 'INVALID_INPUT',
      details: { _errors: [expect.any(String)] },
    });
  });

  it('a method that nobody knows is not found', async () => {
    const raw = await rawAnswer('FROBNICATE /api/echo HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(raw).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    expect(raw).toContain('"code":"NOT_FOUND"');
  });

  it('leaves the server well', async () => {
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1');
    socket.write('POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
    await wait(50);
    socket.destroy();
    expect((await world.call('GET', '/api/echo')).status).toBe(200);
  });
});

describe('too large a body', () => {
  const tooLarge = { error: 'Payload too large', code: 'PAYLOAD_TOO_LARGE', message: 'The limit is 10485760 bytes.' };
  const LIMIT = 10 * 1024 * 1024;

  it('is refused by its announced length without being read', async () => {
    const raw = await rawAnswer(`POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`);
    expect(raw).toMatch(/^HTTP\/1\.1 413 /);
    expect(raw).toContain('connection: close');
    expect(JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4))).toEqual(tooLarge);
  });

  it('is refused before it is sent when the caller asks first', async () => {
    const raw = await rawAnswer(
      `POST /api/echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`,
    );
    expect(raw).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('is refused as soon as it turns out to be', async () => {
    const { hostname, port } = new URL(world.url);
    const sent = httpRequest({ hostname, port, method: 'POST', path: '/api/echo', agent: false });
    // The connection is cut when the answer is out; what was still to be sent has nowhere to go.
    sent.on('error', () => undefined);
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    for (let megabyte = 0; megabyte < 12; megabyte += 1) sent.write(Buffer.alloc(1024 * 1024));
    const [answer] = await answered;
    expect(answer.statusCode).toBe(413);
    expect(JSON.parse(Buffer.concat(await answer.toArray()).toString())).toEqual(tooLarge);
  });

  it('begins above ten megabytes', async () => {
    const answer = await world.call('POST', '/api/echo', { rawBody: Buffer.alloc(LIMIT, 'a') });
    expect(answer.status).toBe(200);
    expect((answer.body as Echo).event.body).toHaveLength(LIMIT);
  });
});

describe('an answer', () => {
  it.each([
    ['gzip', 'gzip', gunzipSync],
    ['br', 'gzip;q=0.5, br', brotliDecompressSync],
    ['br', 'gzip, deflate, br, zstd', brotliDecompressSync],
    ['gzip', 'br;q=0, *', gunzipSync],
  ])('above 1 KB is compressed with %s for "%s" and keeps its tag', async (encoding, accepted, unpack) => {
    const { answer, bytes } = await bytesOf('/api/large', { 'accept-encoding': accepted });
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers.etag).toBe('"tag"');
    expect(answer.headers.vary).toBe('Origin, Accept-Encoding');
    expect(Number(answer.headers['content-length'])).toBe(bytes.length);
    expect(bytes.length).toBeLessThan(1000);
    expect(unpack(bytes).toString()).toBe('abcdefgh'.repeat(1000));
  });

  it.each(['', 'identity', 'gzip;q=0', 'deflate', 'nonsense;;q=x'])('is left as it is for "%s"', async (accepted) => {
    const { answer, bytes } = await bytesOf('/api/large', { 'accept-encoding': accepted });
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.headers.vary).toBe('Origin, Accept-Encoding');
    expect(bytes).toHaveLength(8000);
  });

  it('is left as it is when it is small or would not become smaller', async () => {
    const small = await bytesOf('/api/small', { 'accept-encoding': 'gzip' });
    expect([small.answer.headers['content-encoding'], small.bytes.length]).toEqual([undefined, 1024]);
    const binary = await bytesOf('/api/binary', { 'accept-encoding': 'gzip' });
    expect([binary.answer.headers['content-encoding'], binary.bytes.length]).toEqual([undefined, 5000]);
  });

  it('of 304 has no body and no length', async () => {
    const { answer, bytes } = await bytesOf('/api/known');
    expect([answer.statusCode, answer.headers['content-length'], bytes.length]).toEqual([304, undefined, 0]);
  });

  it('may have a header more than once', async () => {
    const { answer } = await bytesOf('/api/cookies');
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });
});

describe('a function that fails', () => {
  it.each(['/api/throws', '/api/malformed', '/api/missing'])(
    'is a 500 in shape that tells no cause: %s',
    async (path) => {
      const answer = await world.call('GET', path, { headers: { origin: 'https://front.example' } });
      expect(answer.status).toBe(500);
      expect(answer.body).toEqual({
        error: 'Internal error',
        code: 'INTERNAL',
        request_id: answer.headers.get('x-request-id'),
      });
      expect(answer.headers.get('access-control-allow-origin')).toBe('https://front.example');
    },
  );

  it('in being late is a 504', async () => {
    const answer = await world.call('GET', '/api/late');
    expect([answer.status, answer.body]).toEqual([504, { error: 'Timeout', code: 'TIMEOUT' }]);
  });
});

describe('a browser of another origin', () => {
  const preflight = (origin: string) =>
    world.call('OPTIONS', '/api/echo/x', { headers: { origin, 'access-control-request-method': 'PUT' } });

  it('is told what it may do, if it is a configured one', async () => {
    const { status, headers, body } = await preflight('https://front.example');
    expect([status, body]).toEqual([204, undefined]);
    expect(headers.get('access-control-allow-origin')).toBe('https://front.example');
    expect(headers.get('access-control-allow-credentials')).toBe('true');
    expect(headers.get('access-control-allow-methods')).toContain('PUT');
    expect(headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(headers.get('vary')).toBe('Origin');
  });

  it('is told nothing, if it is any other', async () => {
    const { status, headers } = await preflight('https://evil.example');
    expect(status).toBe(204);
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('a streamed answer', () => {
  it('arrives whole, with its head from the gates', async () => {
    const { answer, bytes } = await bytesOf('/api/rows');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(answer.headers['x-request-id']).toMatch(/^[\w-]{20,}$/);
    expect(bytes.toString().split('\n')).toHaveLength(2001);
  });

  it('is compressed on its way', async () => {
    const { answer, bytes } = await bytesOf('/api/rows', { 'accept-encoding': 'gzip' });
    expect([answer.headers['content-encoding'], answer.headers.vary]).toEqual(['gzip', 'Origin, Accept-Encoding']);
    expect(gunzipSync(bytes).toString().split('\n')).toHaveLength(2001);
  });

  it('is made no faster than the caller reads, and no further once he is gone', async () => {
    const { hostname, port } = new URL(world.url);
    const sent = httpRequest({ hostname, port, path: '/api/rows', agent: new Agent({ keepAlive: false }) }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    await once(answer, 'readable');
    await wait(300);
    const made = produced.chunks;
    expect(made).toBeLessThan(1500);
    await wait(100);
    expect(produced.chunks).toBe(made);
    answer.destroy();
    await world.until(async () => produced.ended);
    expect(produced.chunks).toBeLessThan(2000);
  });

  it('that breaks in the middle is cut off, so that nobody takes it for whole', async () => {
    await expect(bytesOf('/api/broken')).rejects.toThrow(/aborted|socket hang up|ECONNRESET/);
    expect((await world.call('GET', '/api/echo')).status).toBe(200);
  });

  it('that a gate refuses is an ordinary failure', async () => {
    const answer = await world.call('GET', '/api/gone');
    expect([answer.status, answer.body]).toEqual([404, NOT_FOUND]);
  });
});

it('answers on both addresses that localhost may mean', async () => {
  const { port } = new URL(world.url);
  for (const host of ['127.0.0.1', '[::1]']) {
    const answer = await fetch(`http://${host}:${port}/api/echo`);
    expect(answer.status).toBe(200);
    const { event } = (await answer.json()) as Echo;
    expect(event.requestContext.identity.sourceIp).toBe(host.replace(/[[\]]/g, ''));
  }
});
