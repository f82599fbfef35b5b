import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Promotion, ShownPromotion } from '#contract/promotions.ts';
import { deleteProject, findProject } from '#data/projects.ts';
import { hourOf } from '#model/days.ts';
import { expirePromotions, mailEndingPromotions, recordExpiries } from '#services/promotions/expire.ts';
import { rollUpAll, siteReport } from '#test/support/analytics.ts';
import {
  conflict,
  type Directory,
  dataOf,
  FORBIDDEN,
  INVALID,
  idOf,
  idsOf,
  invalidAt,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  type Submitted,
  TIME,
  UNAUTHORIZED,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

/** Promotions granted and administered, shown publicly and counted. */

vi.mock(import('#model/days.ts'), { spy: true });

let server: TestServer;
let directory: Directory;
let admin: Person;
let owner: Person;
let project: Submitted;

withOwnServer(async (opened) => {
  ({ server, directory } = opened);
  admin = directory.admin;
  owner = await person(server);
  project = await directory.live(owner);
});

const ADMIN_PATH = '/api/admin/promotions';
const DAY_MS = 86_400_000;
const fromNow = (ms: number): string => new Date(Date.now() + ms).toISOString();

const tryGrant = (body: Record<string, unknown>, who: Person = admin) =>
  directory.as(who, 'POST', ADMIN_PATH, { project_id: project.id, placements: ['catalog'], days: 30, ...body });

const grantPromotion = async (body: Record<string, unknown> = {}): Promise<Promotion> => {
  const response = await tryGrant(body);
  expect(response).toMatchObject({ status: 201 });
  return dataOf<Promotion>(response);
};

const tryAct = (id: string, body: Record<string, unknown>, who: Person = admin) =>
  directory.as(who, 'PUT', `${ADMIN_PATH}/${id}`, body);

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

const eventsOf = async (id: string): Promise<string[]> => {
  const events = await server.events();
  return events
    .filter((event) => (event.data as { promotion_id?: string }).promotion_id === id)
    .map(({ kind }) => kind)
    .toReversed();
};

/** Waits until all events written so far are published: submits a project and waits for its event. */
const eventsPublished = async (): Promise<void> => {
  const marker = await directory.submit(owner);
  await server.until(async () =>
    (await server.events()).some((event) => (event.data as { project_id?: string }).project_id === marker.id),
  );
};

it('all promotions are filtered by project', async () => {
  const elsewhere = await directory.live(admin);
  const [one, other] = [await grantPromotion(), await grantPromotion({ project_id: elsewhere.id })];
  const listed = await directory.get(`${ADMIN_PATH}?status=all&project=${one.project_id}`, admin);
  const ids = dataOf<Promotion[]>(listed).map(({ id }) => id);
  expect(ids).toContain(one.id);
  expect(ids).not.toContain(other.id);
  for (const { id } of [one, other]) await revoke(id);
});

describe('a granted promotion', () => {
  it('is free, active immediately, and belongs to the owner of the project', async () => {
    const promotion = await grantPromotion({
      placements: ['catalog', 'detail', 'catalog'],
      days: 10,
      cta_text: '  Try it  ',
    });
    expect(promotion).toEqual({
      id: idOf('prm'),
      project_id: project.id,
      user_id: owner.id,
      placements: ['catalog', 'detail'],
      status: 'active',
      starts_at: TIME,
      ends_at: TIME,
      months: null,
      cta_text: 'Try it',
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
    expect(event).toMatchObject({
      actor_id: admin.id,
      data: {
        promotion_id: promotion.id,
        project_id: project.id,
        user_id: owner.id,
        placements: ['catalog', 'detail'],
        starts_at: promotion.starts_at,
        ends_at: promotion.ends_at,
      },
    });
    await revoke(promotion.id);
  });

  it('accepts an end date instead of days, and a slug instead of an id', async () => {
    const ends_at = fromNow(5 * DAY_MS);
    const promotion = await grantPromotion({ project_id: project.slug, days: undefined, ends_at });
    expect(promotion).toMatchObject({ project_id: project.id, ends_at, cta_text: null });
    await revoke(promotion.id);
  });

  it.each([
    ['no days and no end', { days: undefined }, ['days']],
    ['both days and an end', { ends_at: fromNow(DAY_MS) }, ['days']],
    ['a fraction of days', { days: 1.5 }, ['days']],
    ['zero days', { days: 0 }, ['days']],
    ['more than 365 days', { days: 366 }, ['days']],
    ['an end that has passed', { days: undefined, ends_at: fromNow(-1) }, ['ends_at']],
    ['an end that is not a time', { days: undefined, ends_at: 'tomorrow' }, ['ends_at']],
    ['an end beyond three years', { days: undefined, ends_at: fromNow(1100 * DAY_MS) }, ['ends_at']],
    ['no placement', { placements: [] }, ['placements']],
    ['an unknown placement', { placements: ['roof'] }, ['placements', 0]],
    ['a call to action of more than 20 characters', { cta_text: 'x'.repeat(21) }, ['cta_text']],
    ['no project', { project_id: undefined }, ['project_id']],
  ] as const)('is rejected with %s', async (_, body, path) => {
    expect(await tryGrant(body)).toMatchObject(invalidAt(...path));
  });

  it('accepts a call to action of exactly 20 code points', async () => {
    const promotion = await grantPromotion({ cta_text: '🍺'.repeat(20) });
    expect(promotion.cta_text).toBe('🍺'.repeat(20));
    await revoke(promotion.id);
  });

  it('returns 409 for projects that are not live', async () => {
    for (const status of ['pending', 'rejected'] as const) {
      const other = await directory.submit(owner);
      await directory.adminOk('PUT', `/api/admin/projects/${other.id}`, { status });
      expect(await tryGrant({ project_id: other.id })).toMatchObject(conflict('NOT_LIVE'));
    }
  });

  it('returns 404 for missing and deleted projects and 403 to callers who are not administrators', async () => {
    const deleted = await directory.project('deleted', owner);
    expect(await tryGrant({ project_id: 'no-such-project' })).toMatchObject(NOT_FOUND);
    expect(await tryGrant({ project_id: deleted.id })).toMatchObject(NOT_FOUND);
    expect(await tryGrant({}, owner)).toMatchObject(FORBIDDEN);
    expect(await directory.as(undefined, 'POST', ADMIN_PATH, {})).toMatchObject(FORBIDDEN);
  });
});

describe('a banner slot', () => {
  it('exists once, while other placements are unlimited', async () => {
    const first = await grantPromotion({ placements: ['banner', 'detail'] });
    expect(await tryGrant({ placements: ['banner'] })).toMatchObject(conflict('SOLD_OUT'));
    const others = await Promise.all([grantPromotion(), grantPromotion(), grantPromotion({ placements: ['detail'] })]);
    await Promise.all(others.map(({ id }) => revoke(id)));
    await revoke(first.id);
    const second = await grantPromotion({ placements: ['banner'] });
    await revoke(second.id);
  });

  it('is allocated to exactly one of twelve concurrent grants', async () => {
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => tryGrant({ placements: ['catalog', 'banner'] })),
    );
    const won = responses.filter(({ status }) => status === 201);
    expect(won).toHaveLength(1);
    for (const lost of responses.filter((one) => one !== won[0])) expect(lost).toMatchObject(conflict('SOLD_OUT'));
    expect(await shownPromotions('&placement=banner')).toHaveLength(1);
    await revoke(dataOf<Promotion>(won[0] as { body: unknown }).id);
  });

  it('is free once its promotion has ended, before the job has recorded the expiry', async () => {
    const first = await grantPromotion({ placements: ['banner'] });
    expect(await isShown(first.id)).toBe(true);
    expect(await tryGrant({ placements: ['banner'] })).toMatchObject(conflict('SOLD_OUT'));
    await act(first.id, { action: 'set_end_date', ends_at: fromNow(200) });
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

  longTest('is never held twice when an extension at the end of a promotion races with grants', async () => {
    for (let round = 0; round < 4; round += 1) {
      const first = await grantPromotion({ placements: ['banner'] });
      await act(first.id, { action: 'set_end_date', ends_at: fromNow(100) });
      await wait(40 + round * 12);
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
});

describe('the public list', () => {
  it('returns running promotions with their projects, newest first, cacheable for 15 seconds', async () => {
    const first = await grantPromotion({ placements: ['catalog'] });
    const second = await grantPromotion({ placements: ['detail', 'catalog'], cta_text: 'Go' });
    const response = await directory.get('/api/promotions?placement=catalog');
    expect(response.status).toBe(200);
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
    const page = await directory.get('/api/promotions?limit=1&page=2');
    expect([idsOf(page), metaOf(page)]).toEqual([[first.id], { total: 2, page: 2, pageSize: 1, hasMore: false }]);
    expect(idsOf(await directory.get('/api/promotions?page=9'))).toEqual([]);
    expect(idsOf(await directory.get('/api/promotions?placement=detail'))).toEqual([second.id]);
    expect(idsOf(await directory.get('/api/promotions?placement=banner'))).toEqual([]);
    expect(await directory.get('/api/promotions?placement=roof')).toMatchObject(invalidAt('placement'));
    const tag = response.headers.get('etag') ?? '';
    const again = await directory.get('/api/promotions?placement=catalog', undefined, { 'if-none-match': tag });
    expect(again.status).toBe(304);
    await Promise.all([revoke(first.id), revoke(second.id)]);
  });

  longTest('contains only promotions of live projects, not of pending, deleted or purged ones', async () => {
    const other = await directory.live(owner);
    const promotion = await grantPromotion({ project_id: other.id });
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
  });

  it('frees the slots of a purged project', async () => {
    const other = await directory.live(owner);
    const promotion = await grantPromotion({ project_id: other.id, placements: ['banner'] });
    await directory.adminOk('DELETE', `/api/admin/projects/${other.id}`);
    await server.until(async () => (await findStored(promotion.id))?.status === 'revoked');
    const next = await grantPromotion({ placements: ['banner'] });
    await revoke(next.id);
  });
});

describe('impressions and clicks', () => {
  const seen = (id: string, headers: Record<string, string> = {}) =>
    directory.as(undefined, 'POST', `/api/promotions/${id}/impressions`, undefined, headers);
  const clicked = (id: string, headers: Record<string, string> = {}) =>
    directory.as(undefined, 'POST', `/api/promotions/${id}/clicks`, undefined, headers);
  const BROWSER = {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  };

  longTest('are counted once per visitor and hour, exactly under concurrent requests', async () => {
    vi.mocked(hourOf).mockReturnValue(9);
    const promotion = await grantPromotion();
    const visitor = (n: number) => ({ ...BROWSER, 'x-forwarded-for': `198.51.100.${n + 1}` });
    const responses = await Promise.all([
      ...Array.from({ length: 80 }, (_, n) => seen(promotion.id, visitor(n % 40))),
      ...Array.from({ length: 30 }, (_, n) => clicked(promotion.id, visitor(n % 15))),
    ]);
    await Promise.all([rollUpAll(), rollUpAll()]);
    for (const response of responses)
      expect(response).toMatchObject({ status: 202, body: { data: { counted: true } } });
    expect(responses[0]?.headers.get('ratelimit-policy')).toContain('"analytics"');
    expect(await findStored(promotion.id)).toMatchObject({ impressions: 40, clicks: 15 });
    // The hour goes on after a roll-up, also for a visitor who opts out of being counted.
    const optsOut = { ...visitor(0), dnt: '1' };
    for (const headers of [visitor(0), optsOut, optsOut]) await seen(promotion.id, headers);
    await rollUpAll();
    expect(await findStored(promotion.id)).toMatchObject({ impressions: 40, clicks: 15 });
    vi.mocked(hourOf).mockReturnValue(10);
    await seen(promotion.id, optsOut);
    await rollUpAll();
    expect(await findStored(promotion.id)).toMatchObject({ impressions: 41, clicks: 15 });
    expect((await siteReport(directory)).totals.visitors).toBe(0);
    // Changes by an administrator keep the counters.
    expect(await act(promotion.id, { action: 'extend', days: 1 })).toMatchObject({ impressions: 41, clicks: 15 });
    expect(await revoke(promotion.id)).toMatchObject({ impressions: 41, clicks: 15 });
  });

  it('of known bots return counted: false and are not counted', async () => {
    const promotion = await grantPromotion();
    const bot = { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' };
    expect(await seen(promotion.id, bot)).toMatchObject({ status: 202, body: { data: { counted: false } } });
    expect(await clicked(promotion.id, bot)).toMatchObject({ status: 202, body: { data: { counted: false } } });
    await rollUpAll();
    expect(await revoke(promotion.id)).toMatchObject({ impressions: 0, clicks: 0 });
  });

  it('return 404 for an unknown or ended promotion and for one that is not shown', async () => {
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
  });
});

describe('administering a promotion', () => {
  it('extends an active one from its end', async () => {
    const promotion = await grantPromotion({ days: 3 });
    const extended = await act(promotion.id, { action: 'extend', days: 2 });
    expect(extended).toMatchObject({ status: 'active', starts_at: promotion.starts_at });
    expect(Date.parse(String(extended.ends_at)) - Date.parse(String(promotion.ends_at))).toBe(2 * DAY_MS);
    await revoke(promotion.id);
  });

  longTest('applies every one of several concurrent extensions', async () => {
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

  longTest('restarts an expired one now, with one event per start and end', async () => {
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

  it('returns 409 when it would prolong one of a deleted or purged project', async () => {
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

  it('moves the end of an active one; a past time ends it now', async () => {
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

  it('revokes with a reason and hides it immediately', async () => {
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
  ] as const)('returns 409 when it is %s for %s', async (status, actions) => {
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

  it('records every action in the audit log', async () => {
    const promotion = await grantPromotion();
    await act(promotion.id, { action: 'extend', days: 1 });
    await revoke(promotion.id);
    const log = await directory.get(`/api/admin/audit?subject=promotion:${promotion.id}`, admin);
    expect(dataOf(log)).toMatchObject([
      { action: 'promotions.administer', actor_id: admin.id, input: { action: 'revoke' } },
      { action: 'promotions.administer', input: { action: 'extend', days: 1 } },
      { action: 'promotions.grant', input: { project_id: project.id, days: 30 } },
    ]);
  });

  it('revokes it once when two administrators do so concurrently', async () => {
    const promotion = await grantPromotion();
    const responses = await Promise.all([1, 2].map(() => tryAct(promotion.id, { action: 'revoke' })));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    await eventsPublished();
    expect(await eventsOf(promotion.id)).toEqual(['promotionActivated', 'promotionRevoked']);
  });

  it.each([
    ['an unknown action', { action: 'paint' }, []],
    ['no action', {}, []],
    ['an extension by nothing', { action: 'extend' }, ['days']],
    ['an extension by 0 days', { action: 'extend', days: 0 }, ['days']],
    ['an extension by 366 days', { action: 'extend', days: 366 }, ['days']],
    ['an end that is not a time', { action: 'set_end_date', ends_at: '2026-13-01' }, ['ends_at']],
    ['an end beyond three years', { action: 'set_end_date', ends_at: '2999-01-01T00:00:00Z' }, ['ends_at']],
    ['a reason of more than 1000 characters', { action: 'revoke', reason: 'x'.repeat(1001) }, ['reason']],
  ] as const)('returns 400 for %s', async (_, body, path) => {
    const promotion = await grantPromotion();
    const response = await tryAct(promotion.id, body);
    expect(response).toMatchObject(path.length === 0 ? INVALID : invalidAt(...path));
    expect(await findStored(promotion.id)).toEqual(promotion);
    await revoke(promotion.id);
  });

  it('returns 400 when an extension ends more than three years from now', async () => {
    const promotion = await grantPromotion({ days: 365 });
    await act(promotion.id, { action: 'extend', days: 365 });
    await act(promotion.id, { action: 'extend', days: 365 });
    expect(await tryAct(promotion.id, { action: 'extend', days: 365 })).toMatchObject(invalidAt('days'));
    await revoke(promotion.id);
  });

  it('returns 404 for an unknown id and 403 to callers who are not administrators', async () => {
    expect(await tryAct('prm_00000000000000000000000000', { action: 'approve' })).toMatchObject(NOT_FOUND);
    expect(await tryAct('nonsense', { action: 'revoke' })).toMatchObject(NOT_FOUND);
    expect(await tryAct('nonsense', { action: 'revoke' }, owner)).toMatchObject(FORBIDDEN);
  });
});

describe("the administrators' list", () => {
  it('contains active and expired promotions by default and filters by status, newest first', async () => {
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
    const page = await directory.get(`${ADMIN_PATH}?status=all&limit=2&page=1`, admin);
    expect(metaOf(page)).toMatchObject({ page: 1, pageSize: 2, hasMore: true });
    expect(idsOf(page)).toEqual([revoked.id, expired.id]);
    expect(await directory.get(`${ADMIN_PATH}?status=shiny`, admin)).toMatchObject(invalidAt('status'));
    expect(await directory.get(ADMIN_PATH, owner)).toMatchObject(FORBIDDEN);
    await revoke(active.id);
  });
});

describe('recording expiries', () => {
  longTest('records each expiry once and publishes one event for it under concurrent and repeated runs', async () => {
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
});

describe('the expiry job', () => {
  it('revokes promotions of a project whose deletion published no event, which frees its slots', async () => {
    const other = await directory.live(owner);
    const promotion = await grantPromotion({ project_id: other.id, placements: ['banner'] });
    const found = await findProject(other.id);
    if (!found) throw new Error('The project is missing.');
    await deleteProject(found.project, []);
    const runs = await Promise.all([expirePromotions(), expirePromotions()]);
    expect(runs.reduce((sum, { processed }) => sum + processed, 0)).toBe(1);
    expect(await findStored(promotion.id)).toMatchObject({ status: 'revoked' });
    const next = await grantPromotion({ placements: ['banner'] });
    expect(await expirePromotions()).toMatchObject({ processed: 0 });
    await revoke(next.id);
  });
});

describe('the mail about an approaching end', () => {
  it('is sent to the owner once per end, at most three days before it', async () => {
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
    // A new end causes another mail.
    await act(promotion.id, { action: 'set_end_date', ends_at: fromNow(DAY_MS) });
    expect(await mailEndingPromotions()).toBe(1);
    await revoke(promotion.id);
    expect(await mailEndingPromotions()).toBe(0);
  });
});

describe("a user's own promotions", () => {
  it('are listed newest first with their counters, for the owner only', async () => {
    const me = await person(server);
    const mine = await directory.live(me);
    const first = await grantPromotion({ project_id: mine.id });
    const second = await grantPromotion({ project_id: mine.id, placements: ['detail'] });
    const response = await directory.get('/api/user/promotions', me);
    expect(dataOf(response)).toEqual([second, first]);
    expect(metaOf(response)).toEqual({ total: 2, page: 1, pageSize: 40, hasMore: false });
    expect(idsOf(await directory.get('/api/user/promotions?limit=1&page=2', me))).toEqual([first.id]);
    expect(idsOf(await directory.get('/api/user/promotions', await person(server)))).toEqual([]);
    expect(await directory.get('/api/user/promotions')).toMatchObject(UNAUTHORIZED);
    await Promise.all([revoke(first.id), revoke(second.id)]);
    expect(dataOf(await directory.get('/api/user/promotions', me))).toMatchObject([
      { id: second.id, status: 'revoked' },
      { id: first.id, status: 'revoked' },
    ]);
  });

  it('accept a new call to action until they are over', async () => {
    const promotion = await grantPromotion();
    const change = (who: Person | undefined, cta_text: unknown) =>
      directory.as(who, 'PUT', `/api/user/promotions/${promotion.id}`, { cta_text });
    expect(await change(owner, 'Taste it')).toMatchObject({ status: 200, body: { data: { cta_text: 'Taste it' } } });
    expect((await shownPromotions()).find(({ id }) => id === promotion.id)?.cta_text).toBe('Taste it');
    expect(await change(owner, '')).toMatchObject({ status: 200, body: { data: { cta_text: null } } });
    expect(await change(owner, 'x'.repeat(21))).toMatchObject(invalidAt('cta_text'));
    expect(await change(owner, undefined)).toMatchObject(invalidAt('cta_text'));
    expect(await change(await person(server), 'Mine')).toMatchObject(NOT_FOUND);
    expect(await change(undefined, 'Mine')).toMatchObject(UNAUTHORIZED);
    await revoke(promotion.id);
    expect(await change(owner, 'Late')).toMatchObject(conflict('INVALID_TRANSITION'));
  });
});
