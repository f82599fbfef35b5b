import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerProcess, startProcess } from '#test/support/process.ts';
import { until } from '#test/support/until.ts';

/** Typical requests at log level DEBUG, and the data that must not be logged. */

const ADDRESS = '203.0.113.77';
const AGENT = 'Telltale-Agent/7.3';
const EMAIL = 'telltale.person@example.com';
const NAME = 'Telltale Personname';
const QUERY = 'telltale-query';
const BODY = 'Telltale words of a body';

interface Line {
  readonly message: string;
  readonly request_id?: string;
  readonly [more: string]: unknown;
}

let folder: string;
let service: ServerProcess;
let token: string;
let output: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'log-privacy-'));
  service = startProcess(folder, {
    LOG_LEVEL: 'DEBUG',
    FEATURE_AI: 'on',
    AI_MODEL: 'none',
    AI_BASE_URL: 'http://127.0.0.1:1',
  });
  const url = await service.url();
  const call = async (method: string, path: string, body?: unknown, bearer: string | undefined = token) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'user-agent': AGENT,
        // Local routes reject requests through a proxy.
        ...(!path.startsWith('/_local/') && { 'x-forwarded-for': ADDRESS }),
        ...(bearer && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json().catch(() => ({}))) as Record<string, unknown> };
  };
  const issued = await call('POST', '/_local/token', { email: EMAIL, name: NAME, admin: true }, '');
  token = issued.body.access_token as string;
  const { data: category } = (await call('POST', '/api/admin/categories', { name: 'Telltale kinds' })).body as {
    data: { slug: string };
  };
  const { data: project } = (
    await call('POST', '/api/projects', {
      plan: 'standard',
      name: 'Quiet place',
      url: 'https://quiet.example.com/',
      description: BODY,
      pricing_type: 'free',
      categories: [category.slug],
    })
  ).body as { data: { id: string; slug: string } };
  // Successes, rejections by each middleware, malformed bodies, and failures of external services.
  const responses = [
    await call('GET', `/api/projects?q=${QUERY}`),
    await call('GET', `/api/projects?page=${QUERY}`),
    await call('GET', `/api/projects/${QUERY}`),
    await call('GET', '/api/user/profile', undefined, `${QUERY}.${QUERY}.${QUERY}`),
    await call('POST', `/api/projects/${project.slug}/comments`, { content: BODY }),
    await call('POST', '/api/projects', `{ "name": ${BODY}`),
    await call('PUT', '/api/user/profile', { display_name: NAME, website: BODY }),
    await call('POST', '/api/ai/generate', { kind: 'description', name: NAME, notes: BODY, text: BODY }),
    await call('POST', '/api/webhooks/stripe', { id: 'evt', email: EMAIL }),
    await call('POST', '/api/analytics/track', {
      type: 'pageview',
      path: `/${QUERY}`,
      referrer: `https://${QUERY}.example.com/`,
    }),
    await call('POST', '/api/cron/refresh-trending', undefined, QUERY),
    await call('POST', '/api/cron/refresh-trending', undefined, 'local-cron-secret'),
    await call('PUT', `/api/admin/projects/${project.id}/approve`),
  ];
  expect([...new Set(responses.map(({ status }) => status))]).toEqual(
    expect.arrayContaining([200, 400, 401, 404, 503]),
  );
  await until(() => /"delivered"/.test(service.output()) && /"message":"job"/.test(service.output()));
  await until(() => (service.output().match(/mail\.notifySubmitter/g) ?? []).length >= 2);
  output = service.output();
}, 600_000);

afterAll(async () => {
  await service.end('SIGINT');
  rmSync(folder, { recursive: true, force: true });
});

const lines = (): readonly Line[] =>
  output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []));

it.each([
  ['the client address', ADDRESS],
  ['the user agent', 'Telltale-Agent'],
  ['an e-mail address', 'telltale.person'],
  ['a name', 'Telltale Personname'],
  ['a query or an unknown path', QUERY],
  ['a body', 'Telltale words'],
])('the log does not contain %s', (_, trace) => {
  expect(output).not.toContain(trace);
});

it('the log does not contain a token or a part of one', () => {
  for (const part of token.split('.')) expect(output).not.toContain(part);
  expect(output).not.toContain('local-cron-secret');
});

it('the log has a line for each request with its id and its route', () => {
  const requests = lines().filter(({ message }) => message === 'request');
  expect(requests.length).toBeGreaterThan(10);
  for (const line of requests) {
    expect(line).toMatchObject({
      route: expect.stringMatching(/^\w+\.\w+$/),
      request_id: expect.stringMatching(/./),
    });
  }
});

it('the log has a line for each delivery with its id and its subscription', () => {
  const deliveries = lines().filter(({ message }) => message === 'delivered');
  expect(new Set(deliveries.map(({ subscription }) => subscription))).toContain('mail.notifySubmitter');
  for (const line of deliveries) expect(line.request_id).toMatch(/./);
});

it('the log has a line for published events', () => {
  expect(lines()).toContainEqual(
    expect.objectContaining({
      message: 'published',
      publisher: 'events.publish',
      request_id: expect.stringMatching(/./),
    }),
  );
});
