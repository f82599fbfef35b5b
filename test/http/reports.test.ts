import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** What users find wrong with a project, and what administrators make of it. */

interface Report {
  id: string;
  project_id: string;
  user_id: string;
  reason: string;
  details: string | null;
  status: string;
}

let world: TestWorld;
let admin: string;
let reader: string;

beforeAll(async () => {
  world = await startTestWorld();
  admin = await world.token({ email: 'root@example.com', admin: true });
  reader = await world.token({ email: 'reader@example.com' });
  await world.call('POST', '/api/admin/categories', { token: admin, body: { name: 'Tools' } });
});

afterAll(async () => {
  await world.stop();
});

const live = async (name: string): Promise<string> => {
  const { body } = await world.call('POST', '/api/projects', {
    token: admin,
    body: {
      plan: 'standard',
      name,
      url: 'https://odd.example.com',
      description: 'Something is odd here.',
      categories: ['tools'],
      pricing_type: 'free',
    },
  });
  const { id } = (body as { data: { id: string } }).data;
  await world.call('PUT', `/api/admin/projects/${id}/approve`, { token: admin });
  return id;
};

const report = (project: string, body: unknown, token = reader) =>
  world.call('POST', `/api/projects/${project}/report`, { token, body });

const listed = async (query = ''): Promise<{ data: Report[]; meta: { total: number; hasMore: boolean } }> =>
  (await world.call('GET', `/api/admin/reports${query}`, { token: admin })).body as never;

const dataOf = (answer: { body: unknown }): Report => (answer.body as { data: Report }).data;

it('takes one report per user and project; reporting again replaces the words', async () => {
  const project = await live('Reported');
  const first = await report(project, { reason: 'spam', details: 'Look at the name.' });
  expect(first.status).toBe(201);
  expect(dataOf(first)).toMatchObject({
    project_id: project,
    reason: 'spam',
    details: 'Look at the name.',
    status: 'open',
  });
  const second = await report(project, { reason: 'broken link' });
  expect(second.status).toBe(200);
  expect(dataOf(second)).toMatchObject({ id: dataOf(first).id, reason: 'broken link', details: null });
  const mine = (await listed()).data.filter((one) => one.project_id === project);
  expect(mine).toEqual([dataOf(second)]);
});

it('makes one report of ten at once', async () => {
  const project = await live('Much Reported');
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => report(project, { reason: `time ${n}` })));
  expect(answers.every((answer) => answer.status === 200 || answer.status === 201)).toBe(true);
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
  expect((await listed()).data.filter((one) => one.project_id === project)).toHaveLength(1);
});

it('is settled by an administrator and leaves the open ones', async () => {
  const project = await live('Settled');
  const { id } = dataOf(await report(project, { reason: 'duplicate' }));
  const settled = await world.call('PUT', `/api/admin/reports/${id}`, { token: admin, body: { status: 'dismissed' } });
  expect(settled.status).toBe(200);
  expect(dataOf(settled).status).toBe('dismissed');
  expect((await listed()).data.map((one) => one.id)).not.toContain(id);
  expect((await listed('?status=dismissed')).data.map((one) => one.id)).toContain(id);
  const whole = await listed('?status=all&limit=1');
  expect(whole.meta).toMatchObject({ total: 3, hasMore: true });
});

it('is 404 where the project is not live, and 404 for an unknown report', async () => {
  const { body } = await world.call('POST', '/api/projects', {
    token: reader,
    body: {
      plan: 'standard',
      name: 'Waiting',
      url: 'https://odd.example.com',
      description: 'Not yet seen.',
      categories: ['tools'],
      pricing_type: 'free',
    },
  });
  expect((await report((body as { data: { id: string } }).data.id, { reason: 'spam' })).status).toBe(404);
  expect((await report('no-such-project', { reason: 'spam' })).status).toBe(404);
  const unknown = await world.call('PUT', '/api/admin/reports/rep_none', {
    token: admin,
    body: { status: 'resolved' },
  });
  expect(unknown.status).toBe(404);
});

it('is gone with its project, and pages neither repeat nor pass over one', async () => {
  const project = await live('Removed');
  const { id } = dataOf(await report(project, { reason: 'spam' }));
  const ids = async () => {
    const [first, second] = [await listed('?status=all&limit=2'), await listed('?status=all&limit=2&page=2')];
    return [...first.data, ...second.data].map((one) => one.id);
  };
  const before = await ids();
  expect(before).toHaveLength(4);
  expect(before).toEqual(before.toSorted().toReversed());
  expect(before[0]).toBe(id);
  await world.call('DELETE', `/api/admin/projects/${project}`, { token: admin });
  await world.until(async () => (await listed('?status=all')).meta.total === 3);
  expect(await ids()).toEqual(before.slice(1));
  const settled = await world.call('PUT', `/api/admin/reports/${id}`, { token: admin, body: { status: 'resolved' } });
  expect(settled.status).toBe(404);
});

it('refuses a report without a reason and one that is too long', async () => {
  const project = await live('Strict');
  for (const body of [
    {},
    { reason: ' ' },
    { reason: 'x'.repeat(1001) },
    { reason: 'spam', details: 'x'.repeat(2001) },
  ]) {
    expect((await report(project, body)).status).toBe(400);
  }
});

it('is not filed any more in the name of somebody who is being forgotten', async () => {
  const project = await live('Reported By Nobody');
  const token = await world.token({ email: 'leaving@example.com' });
  const { body } = await world.call('GET', '/api/user/profile', { token });
  const { id: userId } = (body as { data: { id: string } }).data;
  const { replaceReport } = await import('#data/reports.ts');
  const { wholeTable } = await import('#test/support/whole-table.ts');
  expect((await world.call('DELETE', '/api/user', { token })).status).toBe(200);
  const at = new Date().toISOString();
  const late = {
    id: 'rep_late',
    project_id: project,
    user_id: userId,
    reason: 'late',
    details: null,
    status: 'open',
    created_at: at,
    updated_at: at,
    version: 1,
  } as const;
  await expect(replaceReport(undefined, late)).rejects.toMatchObject({ status: 401 });
  expect((await wholeTable(world)).filter((item) => item['id'] === 'rep_late')).toEqual([]);
});

it('pages through one status and through all of them, with totals', async () => {
  for (let n = 0; n < 5; n += 1) {
    const { id } = dataOf(await report(await live(`Paged ${n}`), { reason: 'odd' }));
    if (n % 2 === 0) {
      await world.call('PUT', `/api/admin/reports/${id}`, { token: admin, body: { status: 'resolved' } });
    }
  }
  for (const status of ['open', 'resolved', 'dismissed', 'all']) {
    const whole = await listed(`?status=${status}&limit=100`);
    expect(whole.meta.total).toBe(whole.data.length);
    const paged: Report[] = [];
    for (let page = 1; page <= Math.ceil(whole.meta.total / 2); page += 1) {
      const { data, meta } = await listed(`?status=${status}&limit=2&page=${page}`);
      expect(meta.total).toBe(whole.meta.total);
      paged.push(...data);
    }
    expect(paged).toEqual(whole.data);
    expect((await listed(`?status=${status}&limit=2&page=50`)).data).toEqual([]);
  }
});
