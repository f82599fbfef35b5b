import { expect, it } from 'vitest';
import type { AuditEntry } from '#contract/audit.ts';
import type { BulkResult } from '#contract/projects.ts';
import {
  type Directory,
  dataOf,
  idsOf,
  metaOf,
  person,
  type SeenProject,
  type Submitted,
} from '#test/support/fixtures.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** The moderator with a full queue: he sees what waits, decides many at once, and can show who decided what. */

let world: TestWorld;
let directory: Directory;

withDirectory((opened) => {
  ({ world, directory } = opened);
});

interface BulkAnswer {
  readonly results: readonly BulkResult[];
  readonly succeeded: number;
  readonly failed: number;
}

const bulk = async (body: Record<string, unknown>): Promise<BulkAnswer> =>
  dataOf<BulkAnswer>(await directory.done('POST', '/api/admin/projects/bulk', body));

it('empties the queue', async () => {
  const { admin } = directory;
  const owner = await person(world);
  const waiting: Submitted[] = [];
  for (let number = 1; number <= 12; number += 1)
    waiting.push(await directory.submit(owner, { name: `Entry ${number}` }));
  const copy = await directory.submit(await person(world), {
    name: 'Entry one again',
    url: `https://www.${new URL((await directory.read(waiting[0]?.id ?? '', owner)).url).host}`,
  });

  // The queue, oldest first, page by page. One of them is there twice, in another spelling of its address.
  const queue = async (query = ''): Promise<{ body: unknown }> =>
    await directory.get(`/api/admin/projects?status=pending&sort=oldest${query}`, admin);
  await world.until(async () => metaOf(await queue()).total === 13);
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

  // Many at once; each is decided by itself, and the answer says of each how it went.
  const good = waiting.slice(0, 8).map(({ id }) => id);
  const approved = await bulk({ action: 'approve', ids: [...good, 'prj_nobody'] });
  expect(approved).toMatchObject({ succeeded: 8, failed: 1 });
  expect(approved.results).toEqual([
    ...good.map((id) => ({ id, ok: true, status: 'live' })),
    expect.objectContaining({ id: 'prj_nobody', ok: false, code: 'NOT_FOUND' }),
  ]);
  const bad = [...waiting.slice(8).map(({ id }) => id), copy.id];
  const [done = ''] = good;
  const rejected = await bulk({ action: 'reject', ids: [...bad, done], reason: 'Is listed already.' });
  expect(rejected).toMatchObject({ succeeded: 5, failed: 1 });
  expect(rejected.results.at(-1)).toMatchObject({ id: done, ok: false, code: 'INVALID_TRANSITION' });

  // The queue is empty, the catalog has what was let in, and everybody was told.
  await world.until(async () => metaOf(await queue()).total === 0);
  await world.until(async () => metaOf(await directory.get('/api/projects')).total === 8);
  expect(await directory.read(copy.id, admin)).toMatchObject({
    status: 'rejected',
    rejection_reason: 'Is listed already.',
  });
  const letters = async (ending: string) =>
    (await world.mails()).filter(({ to, subject }) => to.includes(owner.email) && subject.endsWith(ending)).length;
  await world.until(async () => (await letters('is live')) === 8 && (await letters('was not accepted')) === 4);

  // Who did what to what, when and from where.
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

it('decides together with another: one of two wins, and the loser is told', async () => {
  const { id } = await directory.submit(await person(world));
  const other = await person(world, { admin: true });
  const answers = await Promise.all([
    directory.as(directory.admin, 'PUT', `/api/admin/projects/${id}/approve`),
    directory.as(other, 'PUT', `/api/admin/projects/${id}/reject`, { reason: 'No.' }),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const winner = answers[0]?.status === 200 ? 'live' : 'rejected';
  expect(await directory.read(id, other)).toMatchObject({ status: winner });
  expect(dataOf<AuditEntry[]>(await directory.get(`/api/admin/audit?subject=project:${id}`, other))).toHaveLength(1);
});
