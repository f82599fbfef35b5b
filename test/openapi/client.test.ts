import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import { manifest, PREFIX } from '#shared/client/manifest.ts';
import { createClient } from '#shared/client.ts';

interface Sent {
  readonly url: string;
  readonly method: string | undefined;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A client that receives `respond()` for every request, and its requests. */
const clientReceiving = (respond: () => Response, token?: string | (() => Promise<string>)) => {
  const sent: Sent[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    sent.push({
      url: url instanceof Request ? url.url : url.toString(),
      method: init.method,
      headers: new Headers(init.headers),
      body: init.body,
    });
    return respond();
  };
  return {
    client: createClient({ baseUrl: 'http://localhost:3000/', fetch, ...(token !== undefined && { token }) }),
    sent,
  };
};

const json =
  (body: unknown, status = 200) =>
  () =>
    Response.json(body, { status });

it('the client sends method, path, query and token', async () => {
  const { client, sent } = clientReceiving(json({ data: [], meta: {} }), 'abc');
  await client.projects.list({ query: { page: 2, category: ['a', 'b'], q: 'ä b', sphere: undefined } });
  expect(sent[0]?.url).toBe('http://localhost:3000/api/projects?page=2&category=a%2Cb&q=%C3%A4+b');
  expect(sent[0]?.method).toBe('GET');
  expect(sent[0]?.headers.get('authorization')).toBe('Bearer abc');
  expect(sent[0]?.headers.has('content-type')).toBe(false);
});

it('the client sends the members of a parameter by name', async () => {
  const { client, sent } = clientReceiving(json({ data: [], meta: {} }));
  await client.projects.list({ query: { filter: { price: '10..50', color: 'red,green' } } });
  const { searchParams } = new URL(sent[0]?.url ?? '');
  expect([...searchParams]).toEqual([
    ['filter[price]', '10..50'],
    ['filter[color]', 'red,green'],
  ]);
});

it('the client escapes the values of path variables', async () => {
  const { client, sent } = clientReceiving(json({}));
  await client.comments.remove({ params: { project: 'a/b', comment: '?' } });
  expect(sent[0]?.url).toBe('http://localhost:3000/api/projects/a%2Fb/comments/%3F');
});

it('the client sends a body as JSON with the headers of the call, and gets a new token for each request', async () => {
  const tokens = ['token-1', 'token-2'];
  const { client, sent } = clientReceiving(json({}), async () => tokens.shift() ?? '');
  const call = { params: { project: 'p' }, body: { name: 'New' }, headers: { 'If-Match': '"1"' } };
  await client.projects.update(call);
  await client.projects.update(call);
  expect(sent[0]).toMatchObject({ method: 'PUT', body: '{"name":"New"}' });
  expect(sent[0]?.headers.get('content-type')).toBe('application/json');
  expect(sent[0]?.headers.get('if-match')).toBe('"1"');
  expect(sent[1]?.headers.get('authorization')).toBe('Bearer token-2');
});

it('the client sets no content type for a multipart body, so that fetch adds the boundary', async () => {
  const { client, sent } = clientReceiving(json({ data: {} }));
  const body = new FormData();
  await client.projects.importCsv({ body });
  expect(sent[0]?.body).toBe(body);
  expect(sent[0]?.headers.has('content-type')).toBe(false);
});

it('the client returns status, body and headers, for errors too', async () => {
  const failure = { error: 'Too many requests', code: 'RATE_LIMITED', retryAfter: 7 };
  const { client } = clientReceiving(() => Response.json(failure, { status: 429, headers: { 'x-request-id': 'r1' } }));
  const response = await client.votes.toggle({ params: { project: 'p' } });
  expect(response.status === 429 && response.body.retryAfter).toBe(7);
  expect(response.headers.get('x-request-id')).toBe('r1');
});

it('the client returns text as a string and streams as a ReadableStream', async () => {
  const { client } = clientReceiving(() => new Response('{"openapi":"3.1.1"}'));
  const text = await client.docs.readOpenapi();
  expect(text.body).toBe('{"openapi":"3.1.1"}');
  const csv = await client.projects.exportCsv();
  expect(csv.status === 200 && csv.body).toBeInstanceOf(ReadableStream);
});

it('the client returns an HTML error page of a proxy as the error text', async () => {
  const { client } = clientReceiving(() => new Response('<h1>Bad gateway</h1>', { status: 502 }));
  const response = await client.projects.list();
  expect(response).toMatchObject({ status: 502, body: { error: '<h1>Bad gateway</h1>' } });
});

const calls = Object.values(manifest).flatMap((actions) => Object.values(actions));

// The others are pages, feeds and images.
const callable = routes.filter(({ path }) => path.startsWith(PREFIX));

it('the manifest of the client has every route below /api, in at most 2 KB with gzip', () => {
  expect(calls.map((call) => call.replace(' ', ` ${PREFIX}`).split(' ').slice(0, 2).join(' ')).toSorted()).toEqual(
    callable.map(({ method, path }) => `${method} ${path}`).toSorted(),
  );
  const others = routes.filter((route) => !callable.includes(route)).map(({ id }) => id.split('.')[0]);
  expect([...new Set(others)].toSorted()).toEqual(['console', 'feeds', 'mcp', 'site']);
  expect(gzipSync(JSON.stringify(manifest)).length).toBeLessThanOrEqual(2048);
});

it('the manifest of the client describes the body of every success: other than JSON with status 200 only', () => {
  const others = callable.flatMap((route) =>
    Object.entries(route.responses).flatMap(([status, response]) =>
      'stream' in response ? [`${route.id} ${status}`] : [],
    ),
  );
  expect(others.filter((one) => !one.endsWith(' 200'))).toEqual([]);
  expect(calls.filter((call) => / (?:text|stream)$/.test(call))).toHaveLength(others.length);
});
