import { expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import { rollUpAll, trackAccepted } from '#test/support/analytics.ts';
import { untilEventsDelivered } from '#test/support/events.ts';
import { person } from '#test/support/fixtures.ts';
import { generatedOperations } from '#test/support/generated-requests.ts';
import { chooseOutcome, startPremium } from '#test/support/payments.ts';
import { sampleOf } from '#test/support/sample.ts';
import { seed } from '#test/support/seed.ts';
import { csv, importFile } from '#test/support/uploads.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** The pages of every list, by number and by `after`. */

const { server, directory: first } = await ownDirectory({
  env: { WEBHOOK_ALLOW_PRIVATE: 'on', LIVE_EDITS: 'review' },
});
const { admin } = first;
await seed(server, { admin });
await seed(server, { admin });
const seeded = await seed(server, { admin });
const { directory } = seeded;

for (const name of ['A', 'B', 'C']) {
  await directory.ok(await person(server), 'GET', '/api/user/profile');
  const { id } = await directory.live(admin);
  await directory.ok(admin, 'PUT', `/api/projects/${id}`, { name });
  await directory.ok(admin, 'PUT', `/api/projects/${id}/bookmark`);
  const other = await directory.live(await person(server));
  await directory.ok(admin, 'POST', `/api/projects/${other.id}/claims`, { method: 'manual' }, 201);
  await chooseOutcome(directory, (await startPremium(directory, admin)).checkout_id, 'paid');
}
const { id: project } = await directory.live(admin);
for (const content of ['A', 'B', 'C']) {
  await directory.ok(admin, 'POST', `/api/projects/${project}/comments`, { content }, 201);
  await directory.adminOk('PUT', `/api/admin/projects/${project}`, { name: content });
}
const report = await importFile(server, admin.token, csv(['name'], ['A'], ['B'], ['C']), { columns: { name: 'name' } });
for (const q of ['a', 'b', 'c']) await trackAccepted(server, { type: 'search', path: '/', q, results: 1 });
await rollUpAll();
await untilEventsDelivered(server, directory);

interface Page {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly meta: { readonly hasMore: boolean; readonly nextAfter?: string | null };
}

const lists = routes.flatMap((route) => {
  const parameters = generatedOperations.find(({ id }) => id === route.id)?.parameters ?? [];
  const limit = parameters.find(({ name }) => name === 'limit')?.schema as { default?: number } | undefined;
  const isNumbered = parameters.some(({ name }) => name === 'page');
  // A list without pages has a limit only.
  return limit && (isNumbered || parameters.some(({ name }) => name === 'after'))
    ? [{ id: route.id, route, isNumbered, pageSize: limit.default }]
    : [];
});

/** Lists that begin with the oldest entry. */
const OLDEST_FIRST = new Set(['webhooks.list', 'revisions.browse', 'batches.listItems', 'collections.list']);

const nameOf = ({ id, row, q }: Page['data'][number]) => id ?? row ?? q;
/** Deliveries are in the order of their events, whose ids begin with a time. */
const timeOf = ({ event_id, created_at, at, occurred_at, joined_at, failed_at }: Page['data'][number]) =>
  String(event_id ?? created_at ?? at ?? occurred_at ?? joined_at ?? failed_at ?? '');

/** Items of batches are numbered with leading zeros. */
const cursorTo = (name: unknown): unknown =>
  typeof name === 'number' ? expect.stringMatching(new RegExp(`^0*${name}$`)) : name;

it.each(sampleOf(lists, 3))(
  '$id lists every entry once, over pages of any size',
  async ({ id, route, isNumbered, pageSize }) => {
    const path = seeded.pathOf(route, { project, batch: report.batch_id ?? '' });
    const read = async (query: string) => (await directory.adminOk('GET', `${path}?${query}`)).body as Page;
    const { data: whole } = await read('limit=100');
    expect(whole.length).toBeGreaterThanOrEqual(3);
    expect(new Set(whole.map(nameOf)).size).toBe(whole.length);
    const times = whole.map(timeOf);
    expect(times).toEqual(OLDEST_FIRST.has(id) ? times.toSorted() : times.toSorted().toReversed());
    expect((await read('')).meta).toMatchObject({ pageSize });

    for (const limit of [1, 2]) {
      const seen: unknown[] = [];
      let next = '';
      for (let number = 1; seen.length < whole.length; number += 1) {
        const { data, meta } = await read(`limit=${limit}${next}`);
        seen.push(...data.map(nameOf));
        const hasMore = seen.length < whole.length;
        const numbered = { total: whole.length, page: number, pageSize: limit, hasMore };
        const continued = { pageSize: limit, hasMore, nextAfter: hasMore ? cursorTo(seen.at(-1)) : null };
        expect(meta).toMatchObject(isNumbered ? numbered : continued);
        next = isNumbered ? `&page=${number + 1}` : `&after=${meta.nextAfter}`;
      }
      expect(seen).toEqual(whole.map(nameOf));
    }
    if (isNumbered) expect(await read('page=99')).toMatchObject({ data: [], meta: { page: 99, hasMore: false } });
  },
);
