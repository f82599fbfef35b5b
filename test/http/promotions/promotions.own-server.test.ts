import { afterEach, expect, it, vi } from 'vitest';
import type { Promotion, ShownPromotion } from '#contract/promotions.ts';
import { deleteProject, findProject } from '#data/projects.ts';
import { expirePromotions, mailEndingPromotions, recordExpiries } from '#services/promotions/expire.ts';
import { rollUpAll, siteReport } from '#test/support/analytics.ts';
import { kindsAbout, untilEventsPublished } from '#test/support/events.ts';
import {
  conflict,
  dataOf,
  INVALID,
  idOf,
  idsOf,
  invalidAt,
  metaOf,
  NOT_FOUND,
  person,
  success,
  TIME,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();
const { admin } = directory;
const owner = await person(server);
const project = await directory.live(owner);

const ADMIN_PATH = '/api/admin/promotions';
const DAY_MS = 86_400_000;
const fromNow = (ms: number): string => new Date(Date.now() + ms).toISOString();

const tryGrant = (body: Record<string, unknown>) =>
  directory.as(admin, 'POST', ADMIN_PATH, { project_id: project.id, placements: ['catalog'], days: 30, ...body });

const grantPromotion = async (body: Record<string, unknown> = {}): Promise<Promotion> => {
  const response = await tryGrant(body);
  expect(response).toMatchObject({ status: 201 });
  return dataOf<Promotion>(response);
};

const tryAct = (id: string, body: Record<string, unknown>) => directory.as(admin, 'PUT', `${ADMIN_PATH}/${id}`, body);

const act = async (id: string, body: Record<string, unknown>): Promise<Promotion> => {
  const response = await tryAct(id, body);
  expect(response).toMatchObject({ status: 200 });
  return dataOf<Promotion>(response);
};

const revoke = (id: string) => act(id, { action: 'revoke' });

const shownPromotions = async (query = ''): Promise<ShownPromotion[]> =>
  dataOf<ShownPromotion[]>(await directory.get(`/api/promotions?limit=100${query}`));
const isShown = async (id: string): Promise<boolean> => (await shownPromotions()).some((one) => one.id === id);

const findStored = async (id: string): Promise<Promotion | undefined> =>
  dataOf<Promotion[]>(await directory.get(`${ADMIN_PATH}?status=all&limit=100`, admin)).find((one) => one.id === id);

afterEach(() => vi.useRealTimers());

const eventsOf = (id: string) => kindsAbout(server, id);
const eventsPublished = () => untilEventsPublished(server, directory);

longTest('all promotions are filtered by project', async () => {
  const elsewhere = await directory.live(admin);
  const [one, other] = [await grantPromotion(), await grantPromotion({ project_id: elsewhere.id })];
  const listed = await directory.get(`${ADMIN_PATH}?status=all&project=${one.project_id}`, admin);
  const ids = dataOf<Promotion[]>(listed).map(({ id }) => id);
  expect(ids).toContain(one.id);
  expect(ids).not.toContain(other.id);
  for (const { id } of [one, other]) await revoke(id);
});

it('a granted promotion is free, active immediately, and belongs to the owner of the project', async () => {
  const text = '🍺'.repeat(20);
  const wanted = { placements: ['catalog', 'detail', 'catalog'], days: 10, cta_text: `  ${text}  ` };
  const promotion = await grantPromotion(wanted);
  expect(promotion).toEqual({
    id: idOf('prm'),
    project_id: project.id,
    user_id: owner.id,
    placements: ['catalog', 'detail'],
    status: 'active',
    starts_at: TIME,
    ends_at: TIME,
    months: null,
    cta_text: text,
    price: 0,
    currency: 'usd',
    impressions: 0,
    clicks: 0,
    reason: null,
    created_at: TIME,
  });
  expect(Date.parse(String(promotion.ends_at)) - Date.parse(String(promotion.starts_at))).toBe(10 * DAY_MS);
  await server.until(async () => (await eventsOf(promotion.id)).length > 0);
  const event = (await server.events()).find((one) => one.kind === 'promotionActivated');
  const { id, project_id, user_id, placements, starts_at, ends_at } = promotion;
  const data = { promotion_id: id, project_id, user_id, placements, starts_at, ends_at };
  expect(event).toMatchObject({ actor_id: admin.id, data });
  await revoke(promotion.id);
});

it('a granted promotion accepts an end date instead of days, and a slug instead of an id', async () => {
  const ends_at = fromNow(5 * DAY_MS);
  const promotion = await grantPromotion({ project_id: project.slug, days: undefined, ends_at });
  expect(promotion).toMatchObject({ project_id: project.id, ends_at, cta_text: null });
  await revoke(promotion.id);
});

it.each([
  ['no days and no end', { days: undefined }, ['days']],
  ['both days and an end', { ends_at: fromNow(DAY_MS) }, ['days']],
  ['an end that has passed', { days: undefined, ends_at: fromNow(-1) }, ['ends_at']],
  ['an end beyond three years', { days: undefined, ends_at: fromNow(1100 * DAY_MS) }, ['ends_at']],
] as const)('a granted promotion is rejected with %s', async (_, body, path) => {
  expect(await tryGrant(body)).toMatchObject(invalidAt(...path));
});

it('a granted promotion returns 409 for projects that are not live and 404 for missing and deleted ones', async () => {
  for (const status of ['pending', 'rejected'] as const) {
    const other = await directory.submit(owner);
    await directory.adminOk('PUT', `/api/admin/projects/${other.id}`, { status });
    expect(await tryGrant({ project_id: other.id })).toMatchObject(conflict('NOT_LIVE'));
  }
  const deleted = await directory.project('deleted', owner);
  for (const id of ['no-such-project', deleted.id]) expect(await tryGrant({ project_id: id })).toMatchObject(NOT_FOUND);
});

it('a banner slot exists once, while other placements are unlimited', async () => {
  const first = await grantPromotion({ placements: ['banner', 'detail'] });
  expect(await tryGrant({ placements: ['banner'] })).toMatchObject(conflict('SOLD_OUT'));
  const others = await Promise.all([grantPromotion(), grantPromotion(), grantPromotion({ placements: ['detail'] })]);
  await Promise.all(others.map(({ id }) => revoke(id)));
  await revoke(first.id);
  const second = await grantPromotion({ placements: ['banner'] });
  await revoke(second.id);
});

it('a banner slot is free once its promotion has ended, before the job has recorded the expiry', async () => {
  const first = await grantPromotion({ placements: ['banner'] });
  expect(await isShown(first.id)).toBe(true);
  expect(await tryGrant({ placements: ['banner'] })).toMatchObject(conflict('SOLD_OUT'));
  await act(first.id, { action: 'set_end_date', ends_at: fromNow(60_000) });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_001 });
  await server.until(async () => !(await isShown(first.id)));
  const second = await grantPromotion({ placements: ['banner'] });
  // The expired promotion cannot restart while the slot is taken.
  expect(await tryAct(first.id, { action: 'extend', days: 1 })).toMatchObject(conflict('SOLD_OUT'));
  expect(await tryAct(first.id, { action: 'set_end_date', ends_at: fromNow(DAY_MS) })).toMatchObject(
    conflict('SOLD_OUT'),
  );
  await revoke(second.id);
  await recordExpiries();
});

longTest('a banner slot is never held twice when an extension at the end races with grants', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  for (let round = 0; round < 4; round += 1) {
    const first = await grantPromotion({ placements: ['banner'] });
    const { ends_at } = await act(first.id, { action: 'set_end_date', ends_at: fromNow(60_000) });
    vi.setSystemTime(Date.parse(String(ends_at)) - 1 + round);
    const responses = await Promise.all([
      tryAct(first.id, { action: 'extend', days: 1 }),
      ...Array.from({ length: 3 }, () => tryGrant({ placements: ['banner'] })),
    ]);
    expect(responses.filter(({ status }) => status < 300).length).toBeLessThanOrEqual(1);
    const held = await shownPromotions('&placement=banner');
    expect(held.length).toBeLessThanOrEqual(1);
    for (const { id } of held) await revoke(id);
  }
  await recordExpiries();
});

it('the public list of promotions has the running ones with their projects, newest first, cacheable for 15 seconds', async () => {
  const first = await grantPromotion({ placements: ['catalog'] });
  const second = await grantPromotion({ placements: ['detail', 'catalog'], cta_text: 'Go' });
  const response = await directory.ok(undefined, 'GET', '/api/promotions?placement=catalog');
  expect(response.headers.get('cache-control')).toBe('public, max-age=15');
  expect(idsOf(response)).toEqual([second.id, first.id]);
  expect(metaOf(response)).toEqual({ total: 2, page: 1, pageSize: 40, hasMore: false });
  const { paid_at: _paid, rejection_reason: _reason, ...card } = await directory.read(project.id);
  expect(dataOf<ShownPromotion[]>(response)[0]).toEqual({
    id: second.id,
    placements: ['detail', 'catalog'],
    starts_at: second.starts_at,
    ends_at: second.ends_at,
    cta_text: 'Go',
    project: card,
  });
  // The response is the same for all callers because shared caches store it.
  expect((await directory.get('/api/promotions?placement=catalog', admin)).body).toEqual(response.body);
  expect(idsOf(await directory.get('/api/promotions?placement=detail'))).toEqual([second.id]);
  expect(idsOf(await directory.get('/api/promotions?placement=banner'))).toEqual([]);
  const tag = response.headers.get('etag') ?? '';
  const again = await directory.get('/api/promotions?placement=catalog', undefined, { 'if-none-match': tag });
  expect(again.status).toBe(304);
  await Promise.all([revoke(first.id), revoke(second.id)]);
});

longTest('the public list of promotions contains only those of live projects', async () => {
  const other = await directory.live(owner);
  const promotion = await grantPromotion({ project_id: other.id, placements: ['banner'] });
  await server.until(() => isShown(promotion.id));
  const setStatus = (status: string) => directory.adminOk('PUT', `/api/admin/projects/${other.id}`, { status });
  await setStatus('pending');
  await server.until(async () => !(await isShown(promotion.id)));
  await setStatus('live');
  await server.until(() => isShown(promotion.id));
  await directory.adminOk('DELETE', `/api/projects/${other.id}`);
  await server.until(async () => !(await isShown(promotion.id)));
  await directory.adminOk('PUT', `/api/admin/projects/${other.id}`, { deleted_at: null });
  await server.until(() => isShown(promotion.id));
  await directory.adminOk('DELETE', `/api/admin/projects/${other.id}`);
  await server.until(async () => !(await isShown(promotion.id)));
  await server.until(async () => (await findStored(promotion.id))?.status === 'revoked');
  // The purge has freed its slot.
  await revoke((await grantPromotion({ placements: ['banner'] })).id);
});

const seen = (id: string, headers: Record<string, string> = {}) =>
  directory.as(undefined, 'POST', `/api/promotions/${id}/impressions`, undefined, headers);
const clicked = (id: string, headers: Record<string, string> = {}) =>
  directory.as(undefined, 'POST', `/api/promotions/${id}/clicks`, undefined, headers);
const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};

longTest('impressions and clicks are counted once per visitor and hour, also concurrent ones', async () => {
  const promotion = await grantPromotion();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const visitor = (n: number) => ({ ...BROWSER, 'x-forwarded-for': `198.51.100.${n + 1}` });
  const responses = await Promise.all([
    ...Array.from({ length: 80 }, (_, n) => seen(promotion.id, visitor(n % 40))),
    ...Array.from({ length: 30 }, (_, n) => clicked(promotion.id, visitor(n % 15))),
  ]);
  await Promise.all([rollUpAll(), rollUpAll()]);
  for (const response of responses) expect(response).toMatchObject(success({ counted: true }, 202));
  expect(responses[0]?.headers.get('ratelimit-policy')).toContain('"analytics"');
  expect(await findStored(promotion.id)).toMatchObject({ impressions: 40, clicks: 15 });
  // The hour goes on after a roll-up, also for a visitor who opts out of being counted.
  const optsOut = { ...visitor(0), dnt: '1' };
  for (const headers of [visitor(0), optsOut, optsOut]) await seen(promotion.id, headers);
  await rollUpAll();
  expect(await findStored(promotion.id)).toMatchObject({ impressions: 40, clicks: 15 });
  vi.setSystemTime(Date.now() + 3_600_000);
  await seen(promotion.id, optsOut);
  await rollUpAll();
  vi.useRealTimers();
  expect(await findStored(promotion.id)).toMatchObject({ impressions: 41, clicks: 15 });
  expect((await siteReport(directory)).totals.visitors).toBe(0);
  // Changes by an administrator keep the counters.
  expect(await act(promotion.id, { action: 'extend', days: 1 })).toMatchObject({ impressions: 41, clicks: 15 });
  expect(await revoke(promotion.id)).toMatchObject({ impressions: 41, clicks: 15 });
});

it('impressions and clicks of known bots return counted: false and are not counted', async () => {
  const promotion = await grantPromotion();
  const bot = { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' };
  expect(await seen(promotion.id, bot)).toMatchObject(success({ counted: false }, 202));
  expect(await clicked(promotion.id, bot)).toMatchObject(success({ counted: false }, 202));
  await rollUpAll();
  expect(await revoke(promotion.id)).toMatchObject({ impressions: 0, clicks: 0 });
});

longTest(
  'impressions and clicks return 404 for an unknown or ended promotion and for one that is not shown',
  async () => {
    const promotion = await grantPromotion();
    await revoke(promotion.id);
    const other = await directory.live(owner);
    const hidden = await grantPromotion({ project_id: other.id });
    await directory.adminOk('PUT', `/api/admin/projects/${other.id}`, { status: 'pending' });
    for (const id of ['prm_00000000000000000000000000', 'nonsense', promotion.id, hidden.id]) {
      expect(await seen(id, BROWSER)).toMatchObject(NOT_FOUND);
      expect(await clicked(id, BROWSER)).toMatchObject(NOT_FOUND);
    }
    await revoke(hidden.id);
  },
);

it('an active promotion is extended from its end', async () => {
  const promotion = await grantPromotion({ days: 3 });
  const extended = await act(promotion.id, { action: 'extend', days: 2 });
  expect(extended).toMatchObject({ status: 'active', starts_at: promotion.starts_at });
  expect(Date.parse(String(extended.ends_at)) - Date.parse(String(promotion.ends_at))).toBe(2 * DAY_MS);
  await revoke(promotion.id);
});

longTest('several concurrent extensions of a promotion are all applied', async () => {
  const promotion = await grantPromotion({ days: 1 });
  await Promise.all(Array.from({ length: 6 }, () => act(promotion.id, { action: 'extend', days: 1 })));
  const { ends_at } = await revoke(promotion.id);
  expect(ends_at).not.toBeNull();
  const banner = await grantPromotion({ placements: ['banner'], days: 1 });
  await Promise.all(Array.from({ length: 6 }, () => act(banner.id, { action: 'extend', days: 1 })));
  const end = Date.parse(String((await findStored(banner.id))?.ends_at)) - Date.parse(String(banner.ends_at));
  expect(end).toBe(6 * DAY_MS);
  await revoke(banner.id);
});

longTest('an expired promotion that is extended restarts now, with one event per start and end', async () => {
  const promotion = await grantPromotion();
  await act(promotion.id, { action: 'set_end_date', ends_at: fromNow(50) });
  await server.until(async () => (await recordExpiries()) === 1);
  const restarted = await act(promotion.id, { action: 'extend', days: 7 });
  expect(restarted.status).toBe('active');
  expect(Date.parse(String(restarted.ends_at)) - Date.parse(String(restarted.starts_at))).toBe(7 * DAY_MS);
  expect(await isShown(promotion.id)).toBe(true);
  // It ends again and is restarted before the job has recorded the expiry.
  await act(promotion.id, { action: 'set_end_date', ends_at: fromNow(-1000) });
  expect(await act(promotion.id, { action: 'set_end_date', ends_at: fromNow(DAY_MS) })).toMatchObject({
    status: 'active',
  });
  await revoke(promotion.id);
  await eventsPublished();
  expect(await eventsOf(promotion.id)).toEqual([
    'promotionActivated',
    'promotionExpired',
    'promotionActivated',
    'promotionExpired',
    'promotionActivated',
    'promotionRevoked',
  ]);
});

longTest('the promotion of a deleted or purged project cannot be prolonged', async () => {
  const other = await directory.live(owner);
  const [over, running] = [
    await grantPromotion({ project_id: other.id }),
    await grantPromotion({ project_id: other.id }),
  ];
  await act(over.id, { action: 'set_end_date', ends_at: fromNow(-1000) });
  const actions = [
    { action: 'extend', days: 7 },
    { action: 'set_end_date', ends_at: fromNow(30 * DAY_MS) },
  ];
  await directory.adminOk('DELETE', `/api/projects/${other.id}`);
  for (const id of [over.id, running.id]) {
    for (const action of actions) expect(await tryAct(id, action)).toMatchObject(conflict('NOT_LIVE'));
  }
  expect(await act(running.id, { action: 'set_end_date', ends_at: fromNow(-1000) })).toMatchObject({
    status: 'expired',
  });
  await directory.adminOk('DELETE', `/api/admin/projects/${other.id}`);
  for (const action of actions) expect(await tryAct(over.id, action)).toMatchObject(conflict('NOT_LIVE'));
});

it('the purge of a project revokes its promotions and no others', async () => {
  const other = await directory.live(owner);
  const [own, others] = [await grantPromotion({ project_id: other.id }), await grantPromotion()];
  await directory.adminOk('DELETE', `/api/admin/projects/${other.id}`);
  await server.until(async () => expect(await findStored(own.id)).toMatchObject({ status: 'revoked' }));
  expect(await findStored(others.id)).toMatchObject({ status: 'active' });
  await revoke(others.id);
});

it('the end of an active promotion can be moved; a past time ends it now', async () => {
  const promotion = await grantPromotion();
  const ends_at = fromNow(2 * DAY_MS);
  expect(await act(promotion.id, { action: 'set_end_date', ends_at })).toMatchObject({ status: 'active', ends_at });
  const before = fromNow(0);
  const ended = await act(promotion.id, { action: 'set_end_date', ends_at: '2020-01-01T00:00:00+02:00' });
  const after = fromNow(0);
  expect(ended.status).toBe('expired');
  expect([before, ended.ends_at, after]).toEqual([before, ended.ends_at, after].toSorted());
  expect(await isShown(promotion.id)).toBe(false);
  // A past end does not change when it ended.
  expect(await act(promotion.id, { action: 'set_end_date', ends_at: fromNow(-DAY_MS) })).toMatchObject({
    ends_at: ended.ends_at,
  });
  await recordExpiries();
});

it('a promotion that is revoked with a reason is hidden immediately', async () => {
  const promotion = await grantPromotion();
  const revoked = await act(promotion.id, { action: 'revoke', reason: ' Not fitting. ' });
  expect(revoked).toMatchObject({ status: 'revoked', reason: 'Not fitting.', ends_at: TIME });
  expect(await isShown(promotion.id)).toBe(false);
  await eventsPublished();
  expect(await eventsOf(promotion.id)).toEqual(['promotionActivated', 'promotionRevoked']);
});

it.each([
  ['active', ['approve']],
  ['expired', ['approve', 'revoke']],
  ['revoked', ['approve', 'extend', 'revoke', 'set_end_date']],
] as const)('a promotion that is %s cannot be changed by %s', async (status, actions) => {
  const promotion = await grantPromotion();
  if (status === 'expired') await act(promotion.id, { action: 'set_end_date', ends_at: fromNow(-1) });
  if (status === 'revoked') await revoke(promotion.id);
  for (const action of actions) {
    const response = await tryAct(promotion.id, { action, days: 1, ends_at: fromNow(DAY_MS) });
    expect(response).toMatchObject(conflict('INVALID_TRANSITION'));
  }
  if (status === 'active') await revoke(promotion.id);
  await recordExpiries();
});

it('a promotion that two administrators revoke concurrently is revoked once', async () => {
  const promotion = await grantPromotion();
  const responses = await Promise.all([1, 2].map(() => tryAct(promotion.id, { action: 'revoke' })));
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  await eventsPublished();
  expect(await eventsOf(promotion.id)).toEqual(['promotionActivated', 'promotionRevoked']);
});

it.each([
  ['an unknown action', { action: 'paint' }, []],
  ['no action', {}, []],
  ['an end beyond three years', { action: 'set_end_date', ends_at: '2999-01-01T00:00:00Z' }, ['ends_at']],
] as const)('a change of a promotion returns 400 for %s', async (_, body, path) => {
  const promotion = await grantPromotion();
  expect(await tryAct(promotion.id, body)).toMatchObject(path.length === 0 ? INVALID : invalidAt(...path));
  expect(await findStored(promotion.id)).toEqual(promotion);
  await revoke(promotion.id);
});

it('a promotion returns 400 when an extension ends more than three years from now', async () => {
  const promotion = await grantPromotion({ days: 365 });
  for (const _ of [1, 2]) await act(promotion.id, { action: 'extend', days: 365 });
  expect(await tryAct(promotion.id, { action: 'extend', days: 365 })).toMatchObject(invalidAt('days'));
  await revoke(promotion.id);
});

it("the administrators' list of promotions contains active and expired promotions by default and filters by status, newest first", async () => {
  const active = await grantPromotion();
  const expired = await grantPromotion();
  await act(expired.id, { action: 'set_end_date', ends_at: fromNow(-1) });
  const revoked = await grantPromotion();
  await revoke(revoked.id);
  const ids = async (status?: string): Promise<string[]> => {
    const query = status === undefined ? '' : `&status=${status}`;
    const wanted = [active.id, expired.id, revoked.id];
    const found = idsOf(await directory.get(`${ADMIN_PATH}?limit=100${query}`, admin));
    return found.filter((id) => wanted.includes(id));
  };
  expect(await ids()).toEqual([expired.id, active.id]);
  expect(await ids('active')).toEqual([active.id]);
  // The status follows from the dates, before and after the job has recorded the expiry.
  expect(await ids('expired')).toEqual([expired.id]);
  await recordExpiries();
  expect(await ids('expired')).toEqual([expired.id]);
  expect(await ids('revoked')).toEqual([revoked.id]);
  expect(await ids('pending')).toEqual([]);
  expect(await ids('pending_payment')).toEqual([]);
  expect(await ids('all')).toEqual([revoked.id, expired.id, active.id]);
  await revoke(active.id);
});

longTest('each expiry of a promotion is recorded once with one event under concurrent and repeated runs', async () => {
  const promotions = await Promise.all([grantPromotion(), grantPromotion()]);
  const running = await grantPromotion();
  for (const { id } of promotions) await act(id, { action: 'set_end_date', ends_at: fromNow(-1) });
  const runs = await Promise.all([recordExpiries(), recordExpiries(), recordExpiries()]);
  expect(runs.reduce((sum, recorded) => sum + recorded, 0)).toBe(2);
  expect(await recordExpiries()).toBe(0);
  await eventsPublished();
  for (const { id } of promotions) expect(await eventsOf(id)).toEqual(['promotionActivated', 'promotionExpired']);
  expect(await eventsOf(running.id)).toEqual(['promotionActivated']);
  await revoke(running.id);
});

longTest(
  'the expiry job revokes promotions of a project whose deletion published no event, which frees its slots',
  async () => {
    const other = await directory.live(owner);
    const promotion = await grantPromotion({ project_id: other.id, placements: ['banner'] });
    const found = await findProject(other.id);
    if (!found) throw new Error('The project is missing.');
    await deleteProject(found.project, []);
    const runs = await Promise.all([expirePromotions(1000), expirePromotions(1000)]);
    expect(runs.reduce((sum, { processed }) => sum + processed, 0)).toBe(1);
    expect(await findStored(promotion.id)).toMatchObject({ status: 'revoked' });
    const next = await grantPromotion({ placements: ['banner'] });
    expect(await expirePromotions(1000)).toMatchObject({ processed: 0 });
    await revoke(next.id);
  },
);

longTest(
  'the mail about an approaching end is sent to the owner once per end, at most three days before it',
  async () => {
    const me = await person(server, { name: 'Ada' });
    const mine = await directory.live(me, { name: 'Analytical Engine' });
    const promotion = await grantPromotion({ project_id: mine.id, days: 4 });
    expect(await mailEndingPromotions()).toBe(0);
    await act(promotion.id, { action: 'set_end_date', ends_at: fromNow(2 * DAY_MS) });
    expect([await mailEndingPromotions(), await mailEndingPromotions()]).toEqual([1, 0]);
    const mails = (await server.mails()).filter(({ subject }) =>
      subject.startsWith('The promotion of Analytical Engine'),
    );
    expect(mails.map(({ to }) => to)).toEqual([me.email]);
    // A new end causes another mail, which waits while the listing is not shown.
    await act(promotion.id, { action: 'set_end_date', ends_at: fromNow(DAY_MS) });
    await directory.adminOk('PUT', `/api/admin/projects/${mine.id}`, { status: 'pending' });
    expect(await mailEndingPromotions()).toBe(0);
    await directory.adminOk('PUT', `/api/admin/projects/${mine.id}`, { status: 'live' });
    expect(await mailEndingPromotions()).toBe(1);
    await revoke(promotion.id);
    expect(await mailEndingPromotions()).toBe(0);
  },
);

it("a user's own promotions are listed newest first with their counters, for the owner only", async () => {
  const me = await person(server);
  const mine = await directory.live(me);
  const first = await grantPromotion({ project_id: mine.id });
  const second = await grantPromotion({ project_id: mine.id, placements: ['detail'] });
  expect(dataOf(await directory.get('/api/user/promotions', me))).toEqual([second, first]);
  expect(idsOf(await directory.get('/api/user/promotions', await person(server)))).toEqual([]);
  await Promise.all([revoke(first.id), revoke(second.id)]);
  expect(dataOf(await directory.get('/api/user/promotions', me))).toMatchObject([
    { id: second.id, status: 'revoked' },
    { id: first.id, status: 'revoked' },
  ]);
});

it("a user's own promotions accept a new call to action until they are over", async () => {
  const promotion = await grantPromotion();
  const change = (cta_text: unknown) =>
    directory.as(owner, 'PUT', `/api/user/promotions/${promotion.id}`, { cta_text });
  expect(await change('Taste it')).toMatchObject(success({ cta_text: 'Taste it' }));
  expect((await shownPromotions()).find(({ id }) => id === promotion.id)?.cta_text).toBe('Taste it');
  expect(await change('')).toMatchObject(success({ cta_text: null }));
  expect(await change('x'.repeat(21))).toMatchObject(invalidAt('cta_text'));
  expect(await change(undefined)).toMatchObject(invalidAt('cta_text'));
  await revoke(promotion.id);
  expect(await change('Late')).toMatchObject(conflict('INVALID_TRANSITION'));
});
