import { expect, it } from 'vitest';
import type { AdminReport, Report, ReportGroup } from '#contract/reports.ts';
import { replaceReport } from '#data/reports.ts';
import type { CallResponse } from '#test/support/client.ts';
import { dataOf, person, success, TIME } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();
const reader = await person(server);

const liveProject = async (): Promise<string> => (await directory.live(directory.admin)).id;

const report = (project: string, body: unknown, who = reader): Promise<CallResponse> =>
  directory.as(who, 'POST', `/api/projects/${project}/report`, body);

const created = async (project: string, body: unknown): Promise<Report> => {
  const response = await report(project, body);
  expect(response).toMatchObject({ status: 201 });
  return dataOf<Report>(response);
};

const resolve = (id: string, status: 'resolved' | 'dismissed'): Promise<CallResponse> =>
  directory.asAdmin('PUT', `/api/admin/reports/${id}`, { status });

interface ReportPage {
  readonly data: readonly Report[];
  readonly meta: { readonly total: number; readonly hasMore: boolean };
}

const listed = async (query = ''): Promise<ReportPage> =>
  (await directory.adminOk('GET', `/api/admin/reports${query}`)).body as ReportPage;

it('one report is stored per user and project; a second one replaces it', async () => {
  const project = await liveProject();
  const first = await created(project, { reason: 'spam', details: 'Look at the name.' });
  expect(first).toMatchObject({ project_id: project, reason: 'spam', details: 'Look at the name.', status: 'open' });
  const second = await report(project, { reason: 'broken link' });
  expect(second.status).toBe(200);
  expect(dataOf(second)).toMatchObject({ id: first.id, reason: 'broken link', details: null });
  const stored = (await listed()).data.filter((one) => one.project_id === project);
  expect(stored).toEqual([{ ...dataOf<Report>(second), note: null }]);
});

longTest('ten concurrent reports by a user store one report', async () => {
  const project = await liveProject();
  const responses = await Promise.all(Array.from({ length: 10 }, (_, n) => report(project, { reason: `time ${n}` })));
  expect(responses.every((response) => response.status === 200 || response.status === 201)).toBe(true);
  expect(responses.filter((response) => response.status === 201)).toHaveLength(1);
  expect((await listed()).data.filter((one) => one.project_id === project)).toHaveLength(1);
});

it('a resolved report is not listed among the open ones', async () => {
  const { total } = (await listed('?status=all')).meta;
  await created(await liveProject(), { reason: 'another' });
  const { id } = await created(await liveProject(), { reason: 'duplicate' });
  expect(await resolve(id, 'dismissed')).toMatchObject(success({ status: 'dismissed' }));
  expect((await listed()).data.map((one) => one.id)).not.toContain(id);
  expect((await listed('?status=dismissed')).data.map((one) => one.id)).toContain(id);
  expect((await listed('?status=all&limit=1')).meta).toMatchObject({ total: total + 2, hasMore: true });
});

longTest('the reports of a purged project are deleted, and pages neither repeat nor skip a report', async () => {
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

it('a report by a user who is being erased returns 401 and is not stored', async () => {
  const project_id = await liveProject();
  const leaving = await person(server);
  await directory.ok(leaving, 'GET', '/api/user/profile');
  await directory.ok(leaving, 'DELETE', '/api/user');
  const at = new Date().toISOString();
  const texts = { reason: 'late', details: null, status: 'open', note: null } as const;
  const late = {
    id: 'rep_late',
    project_id,
    user_id: leaving.id,
    ...texts,
    created_at: at,
    updated_at: at,
    version: 1,
  };
  await expect(replaceReport(undefined, late)).rejects.toMatchObject({ status: 401 });
  expect((await scanTable(server)).filter((item) => item['id'] === 'rep_late')).toEqual([]);
});

const settle = (body: object): Promise<CallResponse> => directory.asAdmin('POST', '/api/admin/reports/settle', body);

interface Settled {
  readonly results: readonly { readonly id: string; readonly ok: boolean; readonly code?: string }[];
}

it.each([
  ['reject', { status: 'rejected', rejection_reason: 'Reported as spam.', deleted_at: null }],
  ['delete', { status: 'live', deleted_at: TIME }],
  ['none', { status: 'live', deleted_at: null }],
  [undefined, { status: 'live', deleted_at: null }],
] as const)(
  'many reports are resolved in one request, with the action %s on their projects',
  async (action, expected) => {
    const [one, other] = [await liveProject(), await liveProject()];
    const second = await person(server);
    const ids = [
      (await created(one, { reason: 'spam' })).id,
      dataOf<Report>(await report(one, { reason: 'also spam' }, second)).id,
      (await created(other, { reason: 'spam' })).id,
    ];
    const body = { ids: [...ids, 'rep_unknown', ids[0]], status: 'resolved', note: 'Reported as spam.', action };
    const settled = await settle(body);
    expect(settled).toMatchObject(success({ succeeded: 3, failed: 1 }));
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
    expect(await settle({ ...body, ids })).toMatchObject(success({ succeeded: 3, failed: 0 }));
  },
);

it('the note of an administrator is hidden from the author of the report', async () => {
  const project = await liveProject();
  const { id } = await created(project, { reason: 'spam' });
  expect((await settle({ ids: [id], status: 'dismissed', note: 'No spam.' })).status).toBe(200);
  expect(dataOf(await report(project, { reason: 'spam!' }))).not.toHaveProperty('note');
  expect((await listed()).data.find((one) => one.id === id)).toMatchObject({ status: 'open', note: null });
});

it('reports are grouped by project, the newest first', async () => {
  const [first, second] = [await liveProject(), await liveProject()];
  await created(await liveProject(), { reason: 'earliest' });
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
});
