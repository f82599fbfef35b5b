import { afterAll, beforeAll, expect, it } from 'vitest';
import { isAudited } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** Who did what to what, when, from where: written in the transaction of the change. */

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

let world: TestWorld;
let admin: string;
let owner: string;

beforeAll(async () => {
  world = await startTestWorld();
  admin = await world.token({ email: 'root@example.com', admin: true });
  owner = await world.token({ email: 'owner@example.com' });
  await world.call('POST', '/api/admin/categories', { token: admin, body: { name: 'Tools' } });
});

afterAll(async () => {
  await world.stop();
});

const log = async (query = ''): Promise<Entry[]> => {
  const { status, body } = await world.call('GET', `/api/admin/audit?limit=100${query}`, { token: admin });
  expect(status).toBe(200);
  return (body as { data: Entry[] }).data;
};

const submit = async (name: string): Promise<string> => {
  const { body } = await world.call('POST', '/api/projects', {
    token: owner,
    body: {
      plan: 'standard',
      name,
      url: 'https://watched.example.com',
      description: 'Somebody keeps an eye on it.',
      categories: ['tools'],
      pricing_type: 'free',
    },
  });
  return (body as { data: { id: string } }).data.id;
};

it("says who did what to what, when and from where, of an administrator's write", async () => {
  const id = await submit('Watched');
  const before = new Date().toISOString();
  const { headers } = await world.call('PUT', `/api/admin/projects/${id}/reject`, {
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

it("has an owner's edit of his project, without his address", async () => {
  const id = await submit('Edited');
  await world.call('PUT', `/api/projects/${id}`, { token: owner, body: { description: 'New words.' } });
  expect(await log(`&subject=project:${id}`)).toMatchObject([
    { action: 'projects.update', address: null, input: { description: 'New words.' } },
  ]);
});

it('has nothing of what was refused, of reading, or of an edit that changes nothing', async () => {
  const id = await submit('Untouched');
  await world.call('PUT', `/api/admin/projects/${id}/approve`, { token: owner });
  await world.call('PUT', `/api/admin/projects/${id}`, { token: admin, body: { name: '' } });
  await world.call('PUT', `/api/admin/projects/${id}`, { token: admin, body: { name: 'Untouched' } });
  await world.call('GET', `/api/projects/${id}`, { token: admin });
  expect(await log(`&subject=project:${id}`)).toEqual([]);
});

it('names each project of a bulk change and each category of an ordering', async () => {
  const ids = [await submit('Bulk One'), await submit('Bulk Two')];
  await world.call('POST', '/api/admin/projects/bulk', { token: admin, body: { ids, action: 'approve' } });
  for (const id of ids) expect(await log(`&subject=project:${id}`)).toMatchObject([{ action: 'projects.bulk' }]);

  const created = await world.call('POST', '/api/admin/categories', { token: admin, body: { name: 'More' } });
  const category = (created.body as { data: { id: string } }).data.id;
  await world.call('PUT', '/api/admin/categories/reorder', { token: admin, body: [{ id: category, sort_order: 3 }] });
  await world.call('DELETE', `/api/admin/categories/${category}`, { token: admin });
  expect((await log(`&subject=category:${category}`)).map((entry) => entry.action)).toEqual([
    'categories.remove',
    'categories.reorder',
    'categories.create',
  ]);
});

it('pages newest first without a gap or a repetition', async () => {
  const whole = await log();
  expect(whole.map((entry) => entry.id)).toEqual(
    whole
      .map((entry) => entry.id)
      .toSorted()
      .reverse(),
  );
  const walked: string[] = [];
  let after = '';
  for (;;) {
    const { body } = await world.call('GET', `/api/admin/audit?limit=2${after}`, { token: admin });
    const { data, meta } = body as { data: Entry[]; meta: { nextAfter: string | null; hasMore: boolean } };
    walked.push(...data.map((entry) => entry.id));
    expect(meta.hasMore).toBe(meta.nextAfter !== null);
    if (meta.nextAfter === null) break;
    after = `&after=${meta.nextAfter}`;
  }
  expect(walked).toEqual(whole.map((entry) => entry.id));
});

it('is asked of every write of an administrator', () => {
  const writes = routes.filter((route) => route.auth === 'admin' && route.method !== 'GET');
  expect(writes.filter((route) => !isAudited(route))).toEqual([]);
});

it('keeps no address of a webhook, which may be a password', async () => {
  const url = 'https://discord.com/api/webhooks/1/very-secret';
  const created = await world.call('POST', '/api/admin/webhooks', {
    token: admin,
    body: { url, kinds: ['projectApproved'] },
  });
  expect(created.status).toBe(201);
  const [entry] = await log();
  expect(entry).toMatchObject({ action: 'webhooks.create', input: { kinds: ['projectApproved'] } });
  expect(JSON.stringify(entry)).not.toContain('very-secret');
});
