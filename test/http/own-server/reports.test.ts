import { expect, it } from 'vitest';
import type { AdminReport, Report, ReportGroup } from '#contract/reports.ts';
import { replaceReport } from '#data/reports.ts';
import type { CallResponse } from '#test/support/client.ts';
import { type Directory, dataOf, invalidAt, type Person, person, TIME, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { scanTable } from '#test/support/scan-table.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

/** Reports of projects by users, and their resolution by administrators. */

let server: TestServer;
let directory: Directory;
let reader: Person;

withOwnServer(async (context) => {
  ({ server, directory } = context);
  reader = await person(server);
});

const liveProject = async (): Promise<string> => (await directory.live(directory.admin)).id;

const report = (project: string, body: unknown, who = reader): Promise<CallResponse> =>
  directory.as(who, 'POST', `/api/projects/${project}/report`, body);

/** Reports a project for the first time. @returns the report. */
const created = async (project: string, body: unknown): Promise<Report> => {
  const response = await report(project, body);
  expect(response).toMatchObject({ status: 201 });
  return dataOf<Report>(response);
};

const resolve = (id: string, status: 'resolved' | 'dismissed'): Promise<CallResponse> =>
  directory.as(directory.admin, 'PUT', `/api/admin/reports/${id}`, { status });

interface ReportPage {
  readonly data: readonly Report[];
  readonly meta: { readonly total: number; readonly hasMore: boolean };
}

const listed = async (query = ''): Promise<ReportPage> =>
  (await directory.adminOk('GET', `/api/admin/reports${query}`)).body as ReportPage;

it('stores one report per user and project; a second one replaces it', async () => {
  const project = await liveProject();
  const first = await created(project, { reason: 'spam', details: 'Look at the name.' });
  expect(first).toMatchObject({
    project_id: project,
    reason: 'spam',
    details: 'Look at the name.',
    status: 'open',
  });
  const second = await report(project, { reason: 'broken link' });
  expect(second.status).toBe(200);
  expect(dataOf(second)).toMatchObject({ id: first.id, reason: 'broken link', details: null });
  const stored = (await listed()).data.filter((one) => one.project_id === project);
  expect(stored).toEqual([{ ...dataOf<Report>(second), note: null }]);
});

longTest('stores one report for ten concurrent requests', async () => {
  const project = await liveProject();
  const responses = await Promise.all(Array.from({ length: 10 }, (_, n) => report(project, { reason: `time ${n}` })));
  expect(responses.every((response) => response.status === 200 || response.status === 201)).toBe(true);
  expect(responses.filter((response) => response.status === 201)).toHaveLength(1);
  expect((await listed()).data.filter((one) => one.project_id === project)).toHaveLength(1);
});

it('removes a report from the open ones when an administrator resolves it', async () => {
  const { total } = (await listed('?status=all')).meta;
  await created(await liveProject(), { reason: 'another' });
  const { id } = await created(await liveProject(), { reason: 'duplicate' });
  expect(await resolve(id, 'dismissed')).toMatchObject({ status: 200, body: { data: { status: 'dismissed' } } });
  expect((await listed()).data.map((one) => one.id)).not.toContain(id);
  expect((await listed('?status=dismissed')).data.map((one) => one.id)).toContain(id);
  expect((await listed('?status=all&limit=1')).meta).toMatchObject({ total: total + 2, hasMore: true });
});

it('returns 404 when the project is not live, and for an unknown report', async () => {
  const { id: pending } = await directory.submit(reader);
  expect((await report(pending, { reason: 'spam' })).status).toBe(404);
  expect((await report(unique('none'), { reason: 'spam' })).status).toBe(404);
  expect((await resolve('rep_none', 'resolved')).status).toBe(404);
});

it('deletes the reports of a purged project, and pages neither repeat nor skip a report', async () => {
  const { total } = (await listed('?status=all')).meta;
  for (let count = 0; count < 3; count += 1) await created(await liveProject(), { reason: 'another' });
  const project = await liveProject();
  const { id } = await created(project, { reason: 'spam' });
  const ids = async () => {
    const [first, second] = [await listed('?status=all&limit=2'), await listed('?status=all&limit=2&page=2')];
    return [...first.data, ...second.data].map((one) => one.id);
  };
  const before = await ids();
  expect(before).toHaveLength(4);
  expect(before).toEqual(before.toSorted().toReversed());
  expect(before[0]).toBe(id);
  await directory.adminOk('DELETE', `/api/admin/projects/${project}`);
  await server.until(async () => (await listed('?status=all')).meta.total === total + 3);
  expect((await ids()).slice(0, 3)).toEqual(before.slice(1));
  expect((await resolve(id, 'resolved')).status).toBe(404);
});

it.each([{}, { reason: ' ' }, { reason: 'x'.repeat(1001) }, { reason: 'spam', details: 'x'.repeat(2001) }])(
  'returns 400 for a report with a missing or blank reason or a text that is too long',
  async (body) => {
    expect((await report(await liveProject(), body)).status).toBe(400);
  },
);

it('returns 401 for a user who is being erased', async () => {
  const project = await liveProject();
  const leaving = await person(server);
  await directory.ok(leaving, 'GET', '/api/user/profile');
  await directory.ok(leaving, 'DELETE', '/api/user');
  const at = new Date().toISOString();
  const late = {
    id: 'rep_late',
    project_id: project,
    user_id: leaving.id,
    reason: 'late',
    details: null,
    status: 'open',
    note: null,
    created_at: at,
    updated_at: at,
    version: 1,
  } as const;
  await expect(replaceReport(undefined, late)).rejects.toMatchObject({ status: 401 });
  expect((await scanTable(server)).filter((item) => item['id'] === 'rep_late')).toEqual([]);
});

it('pages through one status and through all statuses, with totals', async () => {
  for (let n = 0; n < 5; n += 1) {
    const { id } = await created(await liveProject(), { reason: 'odd' });
    if (n % 2 === 0) expect(await resolve(id, 'resolved')).toMatchObject({ status: 200 });
  }
  for (const status of ['open', 'resolved', 'dismissed', 'all']) {
    const all = await listed(`?status=${status}&limit=100`);
    expect(all.meta.total).toBe(all.data.length);
    const paged: Report[] = [];
    for (let page = 1; page <= Math.ceil(all.meta.total / 2); page += 1) {
      const { data, meta } = await listed(`?status=${status}&limit=2&page=${page}`);
      expect(meta.total).toBe(all.meta.total);
      paged.push(...data);
    }
    expect(paged).toEqual(all.data);
    expect((await listed(`?status=${status}&limit=2&page=50`)).data).toEqual([]);
  }
});

const settle = (body: object): Promise<CallResponse> =>
  directory.as(directory.admin, 'POST', '/api/admin/reports/settle', body);

interface Settled {
  readonly results: readonly { readonly id: string; readonly ok: boolean; readonly code?: string }[];
}

it.each([
  ['reject', { status: 'rejected', rejection_reason: 'Reported as spam.', deleted_at: null }],
  ['delete', { status: 'live', deleted_at: TIME }],
  ['none', { status: 'live', deleted_at: null }],
  [undefined, { status: 'live', deleted_at: null }],
] as const)('resolves many reports in one request, with the action %s on their projects', async (action, expected) => {
  const [one, other] = [await liveProject(), await liveProject()];
  const second = await person(server);
  const ids = [
    (await created(one, { reason: 'spam' })).id,
    dataOf<Report>(await report(one, { reason: 'also spam' }, second)).id,
    (await created(other, { reason: 'spam' })).id,
  ];
  const body = { ids: [...ids, 'rep_unknown', ids[0]], status: 'resolved', note: 'Reported as spam.', action };
  const settled = await settle(body);
  expect(settled).toMatchObject({ status: 200, body: { data: { succeeded: 3, failed: 1 } } });
  expect(dataOf<Settled>(settled).results).toEqual([
    ...ids.map((id) => ({ id, ok: true })),
    { id: 'rep_unknown', ok: false, error: 'Not found', code: 'NOT_FOUND' },
  ]);
  for (const project of [one, other]) {
    const { body: read } = await directory.get(`/api/projects/${project}`, directory.admin);
    expect(read).toMatchObject({ data: expected });
  }
  const resolved = (await listed('?status=resolved')).data.filter(({ id }) => ids.includes(id));
  expect(resolved.map((entry) => (entry as AdminReport).note)).toEqual(ids.map(() => 'Reported as spam.'));

  // The action is not repeated on projects that have changed.
  expect(await settle({ ...body, ids })).toMatchObject({ body: { data: { succeeded: 3, failed: 0 } } });
});

it('hides the note of an administrator from the author of the report', async () => {
  const project = await liveProject();
  const { id } = await created(project, { reason: 'spam' });
  expect((await settle({ ids: [id], status: 'dismissed', note: 'No spam.' })).status).toBe(200);
  const again = await report(project, { reason: 'spam!' });
  expect(dataOf(again)).not.toHaveProperty('note');
  expect((await listed()).data.find((one) => one.id === id)).toMatchObject({ status: 'open', note: null });
});

it.each([
  [{ ids: [], status: 'resolved' }, 'ids'],
  [{ ids: Array.from({ length: 101 }, (_, n) => `rep_${n}`), status: 'resolved' }, 'ids'],
  [{ ids: ['rep_1'] }, 'status'],
  [{ ids: ['rep_1'], status: 'resolved', action: 'purge' }, 'action'],
  [{ ids: ['rep_1'], status: 'resolved', note: 'x'.repeat(1001) }, 'note'],
])('rejects an invalid resolution of reports: %j', async (body, field) => {
  expect(await settle(body)).toMatchObject(invalidAt(field));
});

it('groups reports by project, the newest first', async () => {
  const [first, second] = [await liveProject(), await liveProject()];
  const others = await Promise.all(Array.from({ length: 11 }, () => person(server)));
  const { id: early } = await created(first, { reason: 'early' });
  for (const other of others) await directory.ok(other, 'POST', `/api/projects/${second}/report`, { reason: 'y' }, 201);
  const { id: late } = dataOf<Report>(await report(first, { reason: 'later' }, others[0]));
  const groups = async (query: string) =>
    (await directory.adminOk('GET', `/api/admin/reports?group=project${query}`)).body as {
      readonly data: readonly ReportGroup[];
      readonly meta: object;
    };
  const { data } = await groups('&limit=2');
  const { slug, name } = await directory.read(first);
  expect(data[0]).toMatchObject({
    project: { id: first, slug, name },
    count: 2,
    reports: [{ id: late }, { id: early }],
  });
  expect(data[1]).toMatchObject({ project: { id: second }, count: 11 });
  expect(data[1]?.reports).toHaveLength(10);
  const { meta } = await groups('&limit=1&page=2');
  expect(await groups('&limit=1&page=2')).toMatchObject({ data: [{ project: { id: second } }], meta: { page: 2 } });
  expect(meta).toEqual({
    total: new Set((await listed('?limit=100')).data.map(({ project_id }) => project_id)).size,
    page: 2,
    pageSize: 1,
    hasMore: true,
  });

  await resolve(late, 'dismissed');
  expect((await groups('')).data.find(({ project }) => project.id === first)).toMatchObject({ count: 1 });
  expect((await groups('&status=dismissed')).data[0]).toMatchObject({ project: { id: first }, count: 1 });
  expect((await groups('&status=all')).data[0]).toMatchObject({ project: { id: first }, count: 2 });
  expect(await groups('&page=9')).toMatchObject({ data: [] });
  expect(await directory.get('/api/admin/reports?group=user', directory.admin)).toMatchObject(invalidAt('group'));
});
