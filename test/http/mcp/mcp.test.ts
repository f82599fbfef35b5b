import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, describe, expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import { bytesInResponse, RESPONSE_BYTES_MAX } from '#model/response-size.ts';
import {
  ban,
  dataOf,
  FORBIDDEN,
  INVALID,
  invalidAt,
  NOT_FOUND,
  type Person,
  person,
  submission,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

/** The tools of the Model Context Protocol, called by the official clients of two major versions, and by hand. */

const { server, directory } = await sharedDirectory();
const owner = await person(server);
const address = new URL('/mcp', server.url);
const info = { name: 'test', version: '1.0.0' };

interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

type CallTool = (name: string, given?: Record<string, unknown>) => Promise<ToolResult>;

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

const requestInit = (token: string | undefined) =>
  token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };

/** A client of the revision 2026-07-28. @param seen is given every response. */
const current = async (token?: string, seen: (response: Response) => void = () => undefined) => {
  const client = new Client(info, { versionNegotiation: { mode: 'auto' } });
  const observed = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    seen(response);
    return response;
  };
  const transport = new StreamableHTTPClientTransport(address, { requestInit: requestInit(token), fetch: observed });
  await client.connect(transport);
  closing.push(() => client.close());
  const call: CallTool = async (name, given = {}) => (await client.callTool({ name, arguments: given })) as ToolResult;
  return { client, call };
};

/** A client of the major version before, which knows the revisions of 2025 only. */
const former = async (token?: string) => {
  const client = new FormerClient(info);
  const transport = new FormerTransport(address, { requestInit: requestInit(token) });
  await client.connect(transport);
  closing.push(() => client.close());
  const call: CallTool = async (name, given = {}) => (await client.callTool({ name, arguments: given })) as ToolResult;
  return { client, call };
};

/** The content of a result, which it also has as text. */
const contentOf = ({ structuredContent, content, isError }: ToolResult) => {
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
  expect(isError ?? false).toBe(false);
  return structuredContent as Record<string, unknown>;
};

const refusalOf = ({ structuredContent, content, isError }: ToolResult) => {
  expect(isError).toBe(true);
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
  return structuredContent;
};

interface Found {
  readonly total: number;
  readonly items: readonly Record<string, unknown>[];
  readonly next_cursor: string | null;
}

const search = async (call: CallTool, given: Record<string, unknown>) =>
  contentOf(await call('search_listings', given)) as unknown as Found;

const TOOLS = ['search_listings', 'get_listing', 'list_categories', 'submit_listing'];

it('the current client speaks the revision 2026-07-28, and the former one a revision before', async () => {
  expect((await current()).client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  const { client } = await former();
  expect(client.getServerVersion()).toMatchObject({ name: 'directory', title: 'Directory' });
});

it('answers to the current client are single JSON bodies', async () => {
  const types: (string | null)[] = [];
  const { client, call } = await current(undefined, ({ status, headers }) => {
    if (status === 200) types.push(headers.get('content-type'));
  });
  await client.listTools();
  contentOf(await call('list_categories'));
  expect(types.length).toBeGreaterThanOrEqual(2);
  expect([...new Set(types)]).toEqual(['application/json; charset=utf-8']);
});

describe.each([
  ['current', current],
  ['former', former],
] as const)('the %s client', (_, connect) => {
  it('lists the tools with input schemas of the contract', async () => {
    const { tools } = await (await connect()).client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    for (const { description, inputSchema, annotations } of tools) {
      expect(description).toMatch(/\.$/);
      expect(inputSchema.type).toBe('object');
      expect(annotations?.destructiveHint).toBe(false);
    }
    const [searching, , , submitting] = tools;
    expect(Object.keys(searching?.inputSchema.properties ?? {})).toEqual(
      expect.arrayContaining(['query', 'category', 'tag', 'pricing', 'near', 'bbox', 'limit', 'cursor']),
    );
    expect(searching?.inputSchema.properties?.limit).toMatchObject({ type: 'integer', minimum: 1, maximum: 20 });
    expect(submitting?.inputSchema.required).toEqual(
      expect.arrayContaining(['plan', 'name', 'url', 'description', 'categories', 'pricing_type']),
    );
  });

  it('searches listings by words, with filters and pages, in the order of the API', async () => {
    const { call } = await connect();
    const word = unique('gadget').replaceAll('-', '');
    const { slug: category } = await directory.addCategory();
    const named = await directory.live(owner, { name: `The ${word}`, categories: [category] });
    const told = await directory.live(owner, { description: `Like a ${word}.`, pricing_type: 'paid' });
    await server.until(async () => (await search(call, { query: word })).total === 2);
    const found = await search(call, { query: word });
    expect(found.items.map(({ id }) => id)).toEqual([named.id, told.id]);
    expect(found.next_cursor).toBeNull();
    const listed = await directory.ok(undefined, 'GET', `/api/projects?q=${word}&match=fuzzy&sort=relevance`);
    const [project] = dataOf<(Project & { fields?: unknown })[]>(listed);
    expect(found.items[0]).toEqual({
      id: project?.id,
      name: project?.name,
      description: project?.description,
      url: project?.url,
      page_url: expect.stringMatching(new RegExp(`/projects/${named.slug}$`)),
      categories: [category],
      pricing_type: 'free',
      upvote_count: 0,
      average_rating: 0,
      ratings_count: 0,
      ...(project?.fields !== undefined && { fields: project.fields }),
    });
    expect((await search(call, { query: word, pricing: 'paid' })).items.map(({ id }) => id)).toEqual([told.id]);
    expect((await search(call, { category })).items.map(({ id }) => id)).toEqual([named.id]);
    const first = await search(call, { query: word, limit: 1 });
    expect(first).toMatchObject({ total: 2, items: [{ id: named.id }], next_cursor: expect.any(String) });
    const second = await search(call, { query: word, limit: 1, cursor: first.next_cursor });
    expect(second).toMatchObject({ total: 2, items: [{ id: told.id }], next_cursor: null });
    const wrong = await call('search_listings', { query: 'other', cursor: first.next_cursor });
    expect(refusalOf(wrong)).toMatchObject(invalidAt('cursor').body);
  });

  it.each([
    ['search_listings', { limit: 21 }],
    ['search_listings', { near: 'north' }],
    ['get_listing', {}],
  ])('gets the text of the package for arguments that the schema of %s rejects: %o', async (name, given) => {
    const { isError, content } = await (await connect()).call(name, given);
    expect(isError).toBe(true);
    expect(content[0]?.text).toContain(`Invalid arguments for tool ${name}`);
  });

  it('reads a listing as everybody sees it, and lists the categories', async () => {
    const { call } = await connect(owner.token);
    const live = await directory.live(owner);
    const pending = await directory.submit(owner);
    const expected = dataOf<Project>(await directory.ok(undefined, 'GET', `/api/projects/${live.id}`));
    for (const id of [live.id, live.slug]) expect(contentOf(await call('get_listing', { id }))).toEqual(expected);
    expect(refusalOf(await call('get_listing', { id: pending.id }))).toEqual(NOT_FOUND.body);
    const categories = dataOf<unknown[]>(await directory.ok(undefined, 'GET', '/api/categories'));
    expect(contentOf(await call('list_categories'))).toEqual({ categories });
  });

  it('submits a listing as the user', async () => {
    const { call } = await connect(owner.token);
    const body = submission({ categories: [directory.category] });
    const created = contentOf(await call('submit_listing', body));
    expect(created).toEqual({ id: expect.stringMatching(/^prj_/), slug: expect.any(String), status: 'pending' });
    expect(await directory.read(String(created.id), owner)).toMatchObject({ name: body.name, owner_id: owner.id });
    const paid = contentOf(await call('submit_listing', { ...body, name: unique('paid'), plan: 'premium' }));
    expect(paid).toMatchObject({ checkoutUrl: expect.stringContaining('http'), checkout_id: expect.any(String) });
    const unknown = await call('submit_listing', { ...body, categories: ['none-of-these'] });
    expect(refusalOf(unknown)).toMatchObject(INVALID.body);
    const taken = await call('submit_listing', { ...body, slug: created.slug });
    expect(refusalOf(taken)).toMatchObject({ code: 'SLUG_TAKEN' });
  });
});

let requests = 0;
const toolCall = (name: string, given: object = {}) => {
  requests += 1;
  return { jsonrpc: '2.0', id: requests, method: 'tools/call', params: { name, arguments: given } };
};

const post = (body: unknown, headers: Record<string, string> = {}, who?: Person) =>
  directory.as(who, 'POST', '/mcp', body, { accept: 'application/json, text/event-stream', ...headers });

const OWN = { 'mcp-protocol-version': '2025-11-25' };

it('a submission without a valid credential is 401 and names the issuer of tokens, whatever else it asks for', async () => {
  const body = toolCall('submit_listing', submission({ categories: [directory.category] }));
  for (const sent of [body, [toolCall('list_categories'), body]]) {
    for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
      const response = await post(sent, headers);
      expect(response).toMatchObject(UNAUTHORIZED);
      const metadata = /^Bearer resource_metadata="([^"]+)"$/.exec(response.headers.get('www-authenticate') ?? '')?.[1];
      expect(new URL(metadata ?? '').pathname).toBe('/.well-known/oauth-protected-resource');
    }
  }
  const { body: resource, headers } = await directory.ok(undefined, 'GET', '/.well-known/oauth-protected-resource');
  expect(resource).toEqual({
    resource: expect.stringMatching(/^http:\/\/localhost:\d+\/mcp$/),
    authorization_servers: [expect.stringMatching(/^http:\/\/localhost:\d+\/_local$/)],
    bearer_methods_supported: ['header'],
    resource_name: 'Directory',
  });
  expect(headers.get('cache-control')).toBe('public, max-age=300');
});

it('a bad credential is ignored by the other tools', async () => {
  const response = await post(toolCall('list_categories'), { ...OWN, authorization: 'Bearer wrong' });
  expect(response).toMatchObject({ status: 200 });
});

it('a key submits with the scope projects:write only, and a banned user not at all', async () => {
  const keyed = async (scope: string) => {
    const created = await directory.adminOk('POST', '/api/admin/keys', { name: unique('key'), scopes: [scope] }, 201);
    return (await current(dataOf<{ key: string }>(created).key)).call;
  };
  const body = () => submission({ categories: [directory.category] });
  expect(contentOf(await (await keyed('projects:write'))('submit_listing', body()))).toMatchObject({
    status: 'pending',
  });
  const reading = await keyed('projects:read');
  expect(refusalOf(await reading('submit_listing', body()))).toEqual({ error: 'Forbidden', code: 'SCOPE' });
  const banned = await person(server);
  const { call } = await current(banned.token);
  contentOf(await call('list_categories'));
  await ban(banned, 'Spam.');
  expect(refusalOf(await call('submit_listing', body()))).toEqual({
    error: 'Forbidden',
    code: 'BANNED',
    reason: 'Spam.',
  });
  contentOf(await call('list_categories'));
});

it('a submission completes a draft, and a premium one leads to the payment page', async () => {
  const { call } = await current(owner.token);
  const body = submission({ categories: [directory.category] });
  const { body: created } = await directory.ok(owner, 'POST', '/api/me/drafts', { content: body }, 201);
  const { id } = (created as { data: { id: string } }).data;
  contentOf(await call('submit_listing', { ...body, draft_id: id }));
  expect(await directory.get(`/api/me/drafts/${id}`, owner)).toMatchObject({ status: 404 });
  const premium = { ...submission({ categories: [directory.category] }), plan: 'premium' };
  expect(contentOf(await call('submit_listing', premium))).toMatchObject({
    checkoutUrl: expect.stringContaining('/checkout/'),
  });
});

it('requests of pages of other origins are 403, those of the service and of the site are not', async () => {
  const list = toolCall('list_categories');
  const { host, port } = new URL(server.url);
  for (const origin of ['https://evil.example', 'null', `http://${host}.evil.example`, 'http://127.0.0.1:1']) {
    expect(await post(list, { ...OWN, origin })).toMatchObject(FORBIDDEN);
  }
  for (const origin of [`http://${host}`, `http://localhost:${port}`]) {
    expect(await post(list, { ...OWN, origin })).toMatchObject({ status: 200 });
  }
});

it.each(['GET', 'DELETE'])('%s is 405', async (method) => {
  const response = await directory.as(undefined, method, '/mcp');
  expect(response).toMatchObject({ status: 405, body: { code: 'METHOD_NOT_ALLOWED' } });
  expect(response.headers.get('allow')).toContain('POST');
});

it('a request has at most 64 KB, and is JSON-RPC', async () => {
  const padded = (bytes: number) => {
    const body = toolCall('list_categories', { pad: '' });
    const pad = 'x'.repeat(bytes - JSON.stringify(body).length);
    return { ...body, params: { ...body.params, arguments: { pad } } };
  };
  expect(await post(padded(65_536), OWN)).toMatchObject({ status: 200 });
  expect(await post(padded(65_537), OWN)).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  for (const body of [{}, [], { jsonrpc: '1.0' }, 'text']) expect(await post(body)).toMatchObject(INVALID);
  expect(await post({ jsonrpc: '2.0', id: 1 })).toMatchObject({ status: 400, body: { jsonrpc: '2.0', error: {} } });
});

/** The results of several calls in one request, by the id of the call. */
const resultsOf = async (calls: readonly object[], who?: Person): Promise<ReadonlyMap<number, ToolResult>> => {
  const response = await post(calls, { 'mcp-protocol-version': '2025-03-26' }, who);
  expect(response.status).toBe(200);
  const text = String(response.body);
  expect(bytesInResponse(text)).toBeLessThan(RESPONSE_BYTES_MAX);
  const answers = [...text.matchAll(/^data: (.*)$/gm)].map(
    ([, data]) => JSON.parse(data ?? '') as { id: number; result: ToolResult },
  );
  return new Map(answers.map(({ id, result }) => [id, result]));
};

it('the results of one request fit into one response; a tool whose result does not says so', async () => {
  const { id } = await directory.live(owner, { long_description: '\u{1F98A}'.repeat(10_000) });
  const small = toolCall('search_listings', { limit: 1 });
  const results = await resultsOf([...Array.from({ length: 99 }, () => toolCall('get_listing', { id })), small]);
  const without = [...results.values()].filter(({ isError }) => isError);
  expect([results.size, without.length > 20, without.length < 50]).toEqual([100, true, true]);
  for (const { structuredContent } of without) expect(structuredContent).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  expect(results.get(small.id)).not.toHaveProperty('isError');
});

it('a submission is answered with its listing, also when reads leave no room', async () => {
  const { id } = await directory.live(owner, { long_description: 'x' });
  const read = () => toolCall('get_listing', { id });
  const [one] = (await resultsOf([read()])).values();
  // So many reads of this size leave less than the result of a submission. A letter takes 2 bytes in it, an emoji 8.
  const added = Math.floor(5_000_000 / 98) - bytesInResponse(JSON.stringify(one));
  const long_description = `x${'\u{1F98A}'.repeat(Math.floor(added / 8))}${'x'.repeat(Math.floor((added % 8) / 2))}`;
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, { long_description });
  const write = toolCall('submit_listing', submission({ categories: [directory.category] }));
  const results = await resultsOf([...Array.from({ length: 98 }, read), write], owner);
  expect([...results.values()].filter(({ isError }) => isError)).toEqual([]);
  expect(results.get(write.id)?.structuredContent).toMatchObject({ status: 'pending' });
});

it('notifications are accepted without an answer', async () => {
  const response = await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, OWN);
  expect(response).toMatchObject({ status: 202, body: undefined });
});

it('subscriptions are refused, and unknown methods and tools are errors of the protocol', async () => {
  const { client, call } = await current();
  await expect(client.listen({ toolsListChanged: true })).rejects.toThrow(/limit reached|refused|not/i);
  await expect(call('drop_table')).rejects.toThrow('drop_table');
});
