import { describe, expect, it } from 'vitest';
import { createClient } from '#shared/client.ts';

interface Sent {
  readonly url: string;
  readonly method: string | undefined;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A client whose every request is answered with `answer`, and what it sent. */
const clientThatGets = (answer: () => Response, token?: string | (() => Promise<string>)) => {
  const sent: Sent[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    sent.push({
      url: url instanceof Request ? url.url : url.toString(),
      method: init.method,
      headers: new Headers(init.headers),
      body: init.body,
    });
    return answer();
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

describe('the client', () => {
  it('sends method, path, query and token', async () => {
    const { client, sent } = clientThatGets(json({ data: [], meta: {} }), 'abc');
    await client.projects.list({ query: { page: 2, category: ['a', 'b'], q: 'ä b', sphere: undefined } });
    expect(sent[0]?.url).toBe('http://localhost:3000/api/projects?page=2&category=a%2Cb&q=%C3%A4+b');
    expect(sent[0]?.method).toBe('GET');
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer abc');
    expect(sent[0]?.headers.has('content-type')).toBe(false);
  });

  it('fills path variables, whatever they hold', async () => {
    const { client, sent } = clientThatGets(json({}));
    await client.comments.remove({ params: { project: 'a/b', comment: '?' } });
    expect(sent[0]?.url).toBe('http://localhost:3000/api/projects/a%2Fb/comments/%3F');
  });

  it('sends a body as JSON, with the headers of the call, and asks for a fresh token each time', async () => {
    const tokens = ['token-1', 'token-2'];
    const { client, sent } = clientThatGets(json({}), async () => tokens.shift() ?? '');
    const call = { params: { project: 'p' }, body: { name: 'New' }, headers: { 'If-Match': '"1"' } };
    await client.projects.update(call);
    await client.projects.update(call);
    expect(sent[0]).toMatchObject({ method: 'PUT', body: '{"name":"New"}' });
    expect(sent[0]?.headers.get('content-type')).toBe('application/json');
    expect(sent[0]?.headers.get('if-match')).toBe('"1"');
    expect(sent[1]?.headers.get('authorization')).toBe('Bearer token-2');
  });

  it('leaves the type of a multipart body to the platform, which knows the boundary', async () => {
    const { client, sent } = clientThatGets(json({ data: {} }));
    const body = new FormData();
    await client.projects.importCsv({ body });
    expect(sent[0]?.body).toBe(body);
    expect(sent[0]?.headers.has('content-type')).toBe(false);
  });

  it('answers status, body and headers, also of failures', async () => {
    const failure = { error: 'Too many requests', code: 'RATE_LIMITED', retryAfter: 7 };
    const { client } = clientThatGets(() => Response.json(failure, { status: 429, headers: { 'x-request-id': 'r1' } }));
    const reply = await client.votes.toggle({ params: { project: 'p' } });
    expect(reply.status === 429 && reply.body.retryAfter).toBe(7);
    expect(reply.headers.get('x-request-id')).toBe('r1');
  });

  it('gives texts and streams as such', async () => {
    const { client } = clientThatGets(() => new Response('{"openapi":"3.1.1"}'));
    const text = await client.reference.readOpenapi();
    expect(text.body).toBe('{"openapi":"3.1.1"}');
    const csv = await client.projects.exportCsv();
    expect(csv.status === 200 && csv.body).toBeInstanceOf(ReadableStream);
  });

  it("does not fall over a proxy's page", async () => {
    const { client } = clientThatGets(() => new Response('<h1>Bad gateway</h1>', { status: 502 }));
    const reply = await client.projects.list();
    expect(reply).toMatchObject({ status: 502, body: { error: '<h1>Bad gateway</h1>' } });
  });
});
