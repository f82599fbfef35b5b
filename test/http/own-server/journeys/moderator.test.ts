import { expect, it } from 'vitest';
import type { AuditEntry } from '#contract/audit.ts';
import type { BulkResult } from '#contract/project-batches.ts';
import {
  type Directory,
  dataOf,
  idsOf,
  metaOf,
  person,
  type SeenProject,
  type Submitted,
} from '#test/support/fixtures.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

/** A moderator who works through the queue in bulk; the audit log records the decisions. */

let server: TestServer;
let directory: Directory;

withOwnServer((opened) => {
  ({ server, directory } = opened);
});

interface BulkAnswer {
  readonly results: readonly BulkResult[];
  readonly succeeded: number;
  readonly failed: number;
}

const bulk = async (body: Record<string, unknown>): Promise<BulkAnswer> =>
  dataOf<BulkAnswer>(await directory.adminOk('POST', '/api/admin/projects/bulk', body));

it('the queue is empty after bulk decisions', async () => {
  const { admin } = directory;
  const owner = await person(server);
  const waiting: Submitted[] = [];
  for (let number = 1; number <= 12; number += 1)
    waiting.push(await directory.submit(owner, { name: `Entry ${number}` }));
  const copy = await directory.submit(await person(server), {
    name: 'Entry one again',
    url: `https://www.${new URL((await directory.read(waiting[0]?.id ?? '', owner)).url).host}`,
  });

  // The queue is paged, oldest first. One project is a duplicate with another spelling of its URL.
  const queue = async (query = ''): Promise<{ body: unknown }> =>
    await directory.get(`/api/admin/projects?status=pending&sort=oldest${query}`, admin);
  await server.until(async () => metaOf(await queue()).total === 13);
  expect(metaOf(await queue('&limit=5'))).toMatchObject({ total: 13, hasMore: true });
  expect(idsOf(await queue('&limit=100'))).toEqual([...waiting.map(({ id }) => id), copy.id]);
  expect(dataOf<SeenProject[]>(await queue('&q=one%20again'))[0]).toMatchObject({
    id: copy.id,
    possible_duplicates: [waiting[0]?.id],
  });
  const place = dataOf<SeenProject[]>(await directory.get('/api/me/submissions', owner)).map(
    (one) => one.queue_position,
  );
  expect(place).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);

  // Bulk decisions are independent of each other and return a result per project.
  const good = waiting.slice(0, 8).map(({ id }) => id);
  const approved = await bulk({ action: 'approve', ids: [...good, 'prj_unknown'] });
  expect(approved).toMatchObject({ succeeded: 8, failed: 1 });
  expect(approved.results).toEqual([
    ...good.map((id) => ({ id, ok: true, status: 'live' })),
    expect.objectContaining({ id: 'prj_unknown', ok: false, code: 'NOT_FOUND' }),
  ]);
  const bad = [...waiting.slice(8).map(({ id }) => id), copy.id];
  const [done = ''] = good;
  const rejected = await bulk({ action: 'reject', ids: [...bad, done], reason: 'Is listed already.' });
  expect(rejected).toMatchObject({ succeeded: 5, failed: 1 });
  expect(rejected.results.at(-1)).toMatchObject({ id: done, ok: false, code: 'INVALID_TRANSITION' });

  // The queue is empty, the approved projects are listed, and the owners are notified.
  await server.until(async () => metaOf(await queue()).total === 0);
  await server.until(async () => metaOf(await directory.get('/api/projects')).total === 8);
  expect(await directory.read(copy.id, admin)).toMatchObject({
    status: 'rejected',
    rejection_reason: 'Is listed already.',
  });
  const emails = async (ending: string) =>
    (await server.mails()).filter(({ to, subject }) => to.includes(owner.email) && subject.endsWith(ending)).length;
  await server.until(async () => (await emails('is live')) === 8 && (await emails('was not accepted')) === 4);

  // The audit log has an entry per decision.
  const log = dataOf<AuditEntry[]>(await directory.get('/api/admin/audit?limit=100', admin));
  const decisions = log.filter(({ action }) => action === 'projects.bulk');
  expect(decisions).toHaveLength(13);
  for (const entry of decisions) expect(entry).toMatchObject({ actor_id: admin.id, address: '127.0.0.1' });
  expect(new Set(decisions.flatMap(({ subjects }) => subjects))).toEqual(
    new Set([...good, ...bad].map((id) => `project:${id}`)),
  );
  const ofCopy = dataOf<AuditEntry[]>(await directory.get(`/api/admin/audit?subject=project:${copy.id}`, admin));
  expect(ofCopy).toMatchObject([
    { action: 'projects.bulk', input: { action: 'reject', reason: 'Is listed already.' } },
  ]);
});

it('of two concurrent decisions one succeeds and the other returns 409', async () => {
  const { id } = await directory.submit(await person(server));
  const other = await person(server, { admin: true });
  const responses = await Promise.all([
    directory.as(directory.admin, 'PUT', `/api/admin/projects/${id}/approve`),
    directory.as(other, 'PUT', `/api/admin/projects/${id}/reject`, { reason: 'No.' }),
  ]);
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const winner = responses[0]?.status === 200 ? 'live' : 'rejected';
  expect(await directory.read(id, other)).toMatchObject({ status: winner });
  expect(dataOf<AuditEntry[]>(await directory.get(`/api/admin/audit?subject=project:${id}`, other))).toHaveLength(1);
});
