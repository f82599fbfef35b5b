import { afterAll, beforeAll, expect, it } from 'vitest';
import { isAudited } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';

/** The audit log, whose entries are written in the transaction of the change. */

interface Entry {
  id: string;
  at: string;
  actor_id: string;
  action: string;
  subjects: string[];
  request_id: string;
  address: string | null;
  input: unknown;
}

let server: TestServer;
let admin: string;
let owner: string;

beforeAll(async () => {
  server = await startTestServer();
  admin = await server.token({ email: 'root@example.com', admin: true });
  owner = await server.token({ email: 'owner@example.com' });
  const category = await server.call('POST', '/api/admin/categories', { token: admin, body: { name: 'Tools' } });
  expect(category.status).toBe(201);
});

afterAll(async () => {
  await server.stop();
});

const log = async (query = ''): Promise<Entry[]> => {
  const { status, body } = await server.call('GET', `/api/admin/audit?limit=100${query}`, { token: admin });
  expect(status).toBe(200);
  return (body as { data: Entry[] }).data;
};

const submit = async (name: string): Promise<string> => {
  const { status, body } = await server.call('POST', '/api/projects', {
    token: owner,
    body: {
      plan: 'standard',
      name,
      url: 'https://watched.example.com',
      description: 'A project with audited changes.',
      categories: ['tools'],
      pricing_type: 'free',
    },
  });
  expect(status).toBe(201);
  return (body as { data: { id: string } }).data.id;
};

it("records actor, action, subject, time and address of an administrator's write", async () => {
  const id = await submit('Watched');
  const before = new Date().toISOString();
  const { headers } = await server.call('PUT', `/api/admin/projects/${id}/reject`, {
    token: admin,
    body: { reason: 'Not yet.' },
    headers: { 'x-forwarded-for': '203.0.113.77' },
  });
  const [entry] = await log(`&subject=project:${id}`);
  expect(entry).toMatchObject({
    action: 'projects.reject',
    subjects: [`project:${id}`],
    request_id: headers.get('x-request-id'),
    address: '203.0.113.77',
    input: { reason: 'Not yet.' },
  });
  expect(entry?.id).toMatch(/^aud_[0-9A-Z]{26}$/);
  expect(entry?.at.localeCompare(before)).toBeGreaterThanOrEqual(0);
});

it("records an owner's edit of their project without their address", async () => {
  const id = await submit('Edited');
  const edit = { token: owner, body: { description: 'New text.' } };
  expect((await server.call('PUT', `/api/projects/${id}`, edit)).status).toBe(200);
  expect(await log(`&subject=project:${id}`)).toMatchObject([
    { action: 'projects.update', address: null, input: { description: 'New text.' } },
  ]);
});

it('does not record rejected requests, reads and edits without changes', async () => {
  const id = await submit('Untouched');
  const edit = (name: string) => server.call('PUT', `/api/admin/projects/${id}`, { token: admin, body: { name } });
  expect((await server.call('PUT', `/api/admin/projects/${id}/approve`, { token: owner })).status).toBe(403);
  expect((await edit('')).status).toBe(400);
  expect((await edit('Untouched')).status).toBe(200);
  expect((await server.call('GET', `/api/projects/${id}`, { token: admin })).status).toBe(200);
  expect(await log(`&subject=project:${id}`)).toEqual([]);
});

it('lists each project of a bulk change and each category of a reordering', async () => {
  const ids = [await submit('Bulk One'), await submit('Bulk Two')];
  const bulk = { token: admin, body: { ids, action: 'approve' } };
  expect((await server.call('POST', '/api/admin/projects/bulk', bulk)).status).toBe(200);
  for (const id of ids) expect(await log(`&subject=project:${id}`)).toMatchObject([{ action: 'projects.bulk' }]);

  const created = await server.call('POST', '/api/admin/categories', { token: admin, body: { name: 'More' } });
  const category = (created.body as { data: { id: string } }).data.id;
  const order = { token: admin, body: [{ id: category, sort_order: 3 }] };
  expect((await server.call('PUT', '/api/admin/categories/reorder', order)).status).toBe(200);
  expect((await server.call('DELETE', `/api/admin/categories/${category}`, { token: admin })).status).toBe(200);
  expect((await log(`&subject=category:${category}`)).map((entry) => entry.action)).toEqual([
    'categories.remove',
    'categories.reorder',
    'categories.create',
  ]);
});

it('pages newest first without gaps or duplicates', async () => {
  const whole = await log();
  expect(whole.map((entry) => entry.id)).toEqual(
    whole
      .map((entry) => entry.id)
      .toSorted()
      .reverse(),
  );
  const paged: string[] = [];
  let after = '';
  for (;;) {
    const { body } = await server.call('GET', `/api/admin/audit?limit=2${after}`, { token: admin });
    const { data, meta } = body as { data: Entry[]; meta: { nextAfter: string | null; hasMore: boolean } };
    paged.push(...data.map((entry) => entry.id));
    expect(meta.hasMore).toBe(meta.nextAfter !== null);
    if (meta.nextAfter === null) break;
    after = `&after=${meta.nextAfter}`;
  }
  expect(paged).toEqual(whole.map((entry) => entry.id));
});

it('covers every write route of administrators', () => {
  const writes = routes.filter((route) => route.auth === 'admin' && route.method !== 'GET');
  expect(writes.filter((route) => !isAudited(route))).toEqual([]);
});

it('omits the URL of a webhook, which may contain a secret', async () => {
  const url = 'https://discord.com/api/webhooks/1/very-secret';
  const created = await server.call('POST', '/api/admin/webhooks', {
    token: admin,
    body: { url, kinds: ['projectApproved'] },
  });
  expect(created.status).toBe(201);
  const [entry] = await log();
  expect(entry).toMatchObject({ action: 'webhooks.create', input: { kinds: ['projectApproved'] } });
  expect(JSON.stringify(entry)).not.toContain('very-secret');
});

it('is filtered by actor and time', async () => {
  const id = await submit('Filtered');
  const edit = (token: string, name: string) =>
    server.call('PUT', token === owner ? `/api/projects/${id}` : `/api/admin/projects/${id}`, {
      token,
      body: { name },
    });
  expect((await edit(owner, 'Filtered once')).status).toBe(200);
  expect((await edit(admin, 'Filtered twice')).status).toBe(200);
  const [byAdmin, byOwner] = await log(`&subject=project:${id}`);
  const subject = `&subject=project:${id}`;
  for (const scope of ['', subject]) {
    const ofOwner = await log(`${scope}&actor=${byOwner?.actor_id}`);
    expect(ofOwner[0]).toEqual(byOwner);
    expect(ofOwner.every(({ actor_id }) => actor_id === byOwner?.actor_id)).toBe(true);
    expect((await log(`${scope}&to=${byAdmin?.at}`))[0]).toEqual(byAdmin);
    expect((await log(`${scope}&from=${byAdmin?.at}`)).at(-1)?.at).toBe(byAdmin?.at);
    expect(await log(`${scope}&to=2020-01-01`)).toEqual([]);
    expect(await log(`${scope}&from=2999-01-01`)).toEqual([]);
  }
});
