import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Promotion, ShownPromotion } from '#contract/promotions.ts';
import { findProject, removeProject } from '#data/projects.ts';
import { endPromotions } from '#domain/cron/end-promotions.ts';
import { tellEndings } from '#domain/promotions/ending.ts';
import { expirePromotions } from '#domain/promotions/expire.ts';
import { expiryPorts } from '#ports/expiry.ts';
import { endingPorts } from '#ports/promotion-mail.ts';
import { expirePromotionsPorts } from '#ports/promotions.ts';
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
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** Promotions that administrators grant, change and end, and how they are shown and counted. */

let world: TestWorld;
let directory: Directory;
let admin: Person;
let owner: Person;
let project: Submitted;

withDirectory(async (opened) => {
  ({ world, directory } = opened);
  admin = directory.admin;
  owner = await person(world);
  project = await directory.live(owner);
});

const ADMIN_PATH = '/api/admin/promotions';
const DAY_MS = 86_400_000;
const fromNow = (ms: number): string => new Date(Date.now() + ms).toISOString();

const tryGrant = (body: Record<string, unknown>, who: Person = admin) =>
  directory.as(who, 'POST', ADMIN_PATH, { project_id: project.id, placements: ['catalog'], days: 30, ...body });

const granted = async (body: Record<string, unknown> = {}): Promise<Promotion> => {
  const answer = await tryGrant(body);
  expect(answer).toMatchObject({ status: 201 });
  return dataOf<Promotion>(answer);
};

const act = (id: string, body: Record<string, unknown>, who: Person = admin) =>
  directory.as(who, 'PUT', `${ADMIN_PATH}/${id}`, body);

const acted = async (id: string, body: Record<string, unknown>): Promise<Promotion> => {
  const answer = await act(id, body);
  expect(answer).toMatchObject({ status: 200 });
  return dataOf<Promotion>(answer);
};

const revoke = (id: string) => acted(id, { action: 'revoke' });

const shown = async (query = ''): Promise<ShownPromotion[]> =>
  dataOf<ShownPromotion[]>(await directory.get(`/api/promotions?limit=100${query}`));
const isShown = async (id: string): Promise<boolean> => (await shown()).some((one) => one.id === id);

const stored = async (id: string): Promise<Promotion | undefined> =>
  dataOf<Promotion[]>(await directory.get(`${ADMIN_PATH}?status=all&limit=100`, admin)).find((one) => one.id === id);

/** The job, as the schedule runs it. */
const expire = () => expirePromotions(expirePromotionsPorts);

const eventsOf = async (id: string): Promise<string[]> => {
  const events = await world.events();
  return events
    .filter((event) => (event.data as { promotion_id?: string }).promotion_id === id)
    .map(({ kind }) => kind)
    .toReversed();
};

/** Waits until everything that was written so far has gone over the bus. */
const settled = async (): Promise<void> => {
  const marker = await directory.submit(owner);
  await world.until(async () =>
    (await world.events()).some((event) => (event.data as { project_id?: string }).project_id === marker.id),
  );
};

describe('a granted promotion', () => {
  it('is active at once, free, and belongs to the owner of the project', async () => {
    const promotion = await granted({ placements: ['catalog', 'detail', 'catalog'], days: 10, cta_text: '  Try it  ' });
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
    await world.until(async () => (await eventsOf(promotion.id)).length > 0);
    const event = (await world.events()).find((one) => one.kind === 'promotionActivated');
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

  it('takes an end instead of a number of days, and the slug of a project', async () => {
    const ends_at = fromNow(5 * DAY_MS);
    const promotion = await granted({ project_id: project.slug, days: undefined, ends_at });
    expect(promotion).toMatchObject({ project_id: project.id, ends_at, cta_text: null });
    await revoke(promotion.id);
  });

  it.each([
    ['no days and no end', { days: undefined }, ['days']],
    ['both days and an end', { ends_at: fromNow(DAY_MS) }, ['days']],
    ['no whole days', { days: 1.5 }, ['days']],
    ['no days at all', { days: 0 }, ['days']],
    ['more than 365 days', { days: 366 }, ['days']],
    ['an end that has passed', { days: undefined, ends_at: fromNow(-1) }, ['ends_at']],
    ['an end that no time is', { days: undefined, ends_at: 'tomorrow' }, ['ends_at']],
    ['an end beyond three years', { days: undefined, ends_at: fromNow(1100 * DAY_MS) }, ['ends_at']],
    ['no placement', { placements: [] }, ['placements']],
    ['an unknown placement', { placements: ['roof'] }, ['placements', 0]],
    ['a call of more than 20 characters', { cta_text: 'x'.repeat(21) }, ['cta_text']],
    ['no project', { project_id: undefined }, ['project_id']],
  ] as const)('is refused with %s', async (_, body, path) => {
    expect(await tryGrant(body)).toMatchObject(invalidAt(...path));
  });

  it('may have a call of exactly 20 characters, counted in code points', async () => {
    const promotion = await granted({ cta_text: '🍺'.repeat(20) });
    expect(promotion.cta_text).toBe('🍺'.repeat(20));
    await revoke(promotion.id);
  });

  it('is not for projects that are gone or deleted, nor from anybody but administrators', async () => {
    const deleted = await directory.project('deleted', owner);
    expect(await tryGrant({ project_id: 'no-such-project' })).toMatchObject(NOT_FOUND);
    expect(await tryGrant({ project_id: deleted.id })).toMatchObject(NOT_FOUND);
    expect(await tryGrant({}, owner)).toMatchObject(FORBIDDEN);
    expect(await directory.as(undefined, 'POST', ADMIN_PATH, {})).toMatchObject(FORBIDDEN);
  });
});

describe('the banner', () => {
  it('has one place', async () => {
    const first = await granted({ placements: ['banner', 'detail'] });
    expect(await tryGrant({ placements: ['banner'] })).toMatchObject(conflict('SOLD_OUT'));
    const others = await Promise.all([granted(), granted(), granted({ placements: ['detail'] })]);
    await Promise.all(others.map(({ id }) => revoke(id)));
    await revoke(first.id);
    const second = await granted({ placements: ['banner'] });
    await revoke(second.id);
  });

  it('goes to one of many administrators who grant it at the same moment', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => tryGrant({ placements: ['catalog', 'banner'] })),
    );
    const won = answers.filter(({ status }) => status === 201);
    expect(won).toHaveLength(1);
    for (const lost of answers.filter((one) => one !== won[0])) expect(lost).toMatchObject(conflict('SOLD_OUT'));
    expect(await shown('&placement=banner')).toHaveLength(1);
    await revoke(dataOf<Promotion>(won[0] as { body: unknown }).id);
  });

  it('is free the moment that its promotion ends, though no job has noted the end', async () => {
    const first = await granted({ placements: ['banner'] });
    expect(await isShown(first.id)).toBe(true);
    expect(await tryGrant({ placements: ['banner'] })).toMatchObject(conflict('SOLD_OUT'));
    await acted(first.id, { action: 'set_end_date', ends_at: fromNow(200) });
    await world.until(async () => !(await isShown(first.id)));
    const second = await granted({ placements: ['banner'] });
    // And the late one cannot come back in while it is taken.
    expect(await act(first.id, { action: 'extend', days: 1 })).toMatchObject(conflict('SOLD_OUT'));
    expect(await act(first.id, { action: 'set_end_date', ends_at: fromNow(DAY_MS) })).toMatchObject(
      conflict('SOLD_OUT'),
    );
    await revoke(second.id);
    await expire();
  });

  it('is never held by two when one is prolonged at its end while another is granted', async () => {
    for (let round = 0; round < 4; round += 1) {
      const first = await granted({ placements: ['banner'] });
      await acted(first.id, { action: 'set_end_date', ends_at: fromNow(100) });
      await wait(40 + round * 12);
      const answers = await Promise.all([
        act(first.id, { action: 'extend', days: 1 }),
        ...Array.from({ length: 3 }, () => tryGrant({ placements: ['banner'] })),
      ]);
      expect(answers.filter(({ status }) => status < 300).length).toBeLessThanOrEqual(1);
      const held = await shown('&placement=banner');
      expect(held.length).toBeLessThanOrEqual(1);
      for (const { id } of held) await revoke(id);
    }
    await expire();
  });
});

describe('the public list', () => {
  it('has what a shop window needs, for everybody, newest first, and may be kept for a short while', async () => {
    const first = await granted({ placements: ['catalog'] });
    const second = await granted({ placements: ['detail', 'catalog'], cta_text: 'Go' });
    const answer = await directory.get('/api/promotions?placement=catalog');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=15');
    expect(idsOf(answer)).toEqual([second.id, first.id]);
    expect(metaOf(answer)).toEqual({ total: 2, page: 1, pageSize: 40, hasMore: false });
    const { paid_at: _paid, rejection_reason: _reason, ...card } = await directory.read(project.id);
    expect(dataOf<ShownPromotion[]>(answer)[0]).toEqual({
      id: second.id,
      placements: ['detail', 'catalog'],
      starts_at: second.starts_at,
      ends_at: second.ends_at,
      cta_text: 'Go',
      project: card,
    });
    // The owner and administrators see the same, because shared caches do.
    expect((await directory.get('/api/promotions?placement=catalog', admin)).body).toEqual(answer.body);
    const page = await directory.get('/api/promotions?limit=1&page=2');
    expect([idsOf(page), metaOf(page)]).toEqual([[first.id], { total: 2, page: 2, pageSize: 1, hasMore: false }]);
    expect(idsOf(await directory.get('/api/promotions?page=9'))).toEqual([]);
    expect(idsOf(await directory.get('/api/promotions?placement=detail'))).toEqual([second.id]);
    expect(idsOf(await directory.get('/api/promotions?placement=banner'))).toEqual([]);
    expect(await directory.get('/api/promotions?placement=roof')).toMatchObject(invalidAt('placement'));
    const tag = answer.headers.get('etag') ?? '';
    const again = await directory.get('/api/promotions?placement=catalog', undefined, { 'if-none-match': tag });
    expect(again.status).toBe(304);
    await Promise.all([revoke(first.id), revoke(second.id)]);
  });

  it('shows live projects only: not those that wait, are deleted or are gone for good', async () => {
    const other = await directory.submit(owner);
    const promotion = await granted({ project_id: other.id });
    expect(await isShown(promotion.id)).toBe(false);
    await directory.done('PUT', `/api/admin/projects/${other.id}/approve`);
    await world.until(() => isShown(promotion.id), 1500);
    await directory.done('DELETE', `/api/projects/${other.id}`);
    await world.until(async () => !(await isShown(promotion.id)), 1500);
    await directory.done('PUT', `/api/admin/projects/${other.id}`, { deleted_at: null });
    await world.until(() => isShown(promotion.id), 1500);
    await directory.done('DELETE', `/api/admin/projects/${other.id}`);
    await world.until(async () => !(await isShown(promotion.id)), 1500);
    await world.until(async () => (await stored(promotion.id))?.status === 'revoked');
  });

  it('gives the place of a project that is gone for good to others', async () => {
    const other = await directory.live(owner);
    const promotion = await granted({ project_id: other.id, placements: ['banner'] });
    await directory.done('DELETE', `/api/admin/projects/${other.id}`);
    await world.until(async () => (await stored(promotion.id))?.status === 'revoked');
    const next = await granted({ placements: ['banner'] });
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

  it('are counted exactly, also when many come at once', async () => {
    const promotion = await granted();
    const answers = await Promise.all([
      ...Array.from({ length: 40 }, () => seen(promotion.id, BROWSER)),
      ...Array.from({ length: 15 }, () => clicked(promotion.id, BROWSER)),
    ]);
    for (const answer of answers) expect(answer).toMatchObject({ status: 202, body: { data: { counted: true } } });
    expect(answers[0]?.headers.get('ratelimit-policy')).toContain('"analytics"');
    expect(await stored(promotion.id)).toMatchObject({ impressions: 40, clicks: 15 });
    // What an administrator does to it leaves the counters alone.
    expect(await acted(promotion.id, { action: 'extend', days: 1 })).toMatchObject({ impressions: 40, clicks: 15 });
    expect(await revoke(promotion.id)).toMatchObject({ impressions: 40, clicks: 15 });
  });

  it('of known bots are not counted', async () => {
    const promotion = await granted();
    const bot = { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' };
    expect(await seen(promotion.id, bot)).toMatchObject({ status: 202, body: { data: { counted: false } } });
    expect(await clicked(promotion.id, bot)).toMatchObject({ status: 202, body: { data: { counted: false } } });
    expect(await revoke(promotion.id)).toMatchObject({ impressions: 0, clicks: 0 });
  });

  it('are 404 for what is unknown, over, or not shown', async () => {
    const promotion = await granted();
    await revoke(promotion.id);
    const hidden = await granted({ project_id: (await directory.submit(owner)).id });
    for (const id of ['prm_00000000000000000000000000', 'nonsense', promotion.id, hidden.id]) {
      expect(await seen(id, BROWSER)).toMatchObject(NOT_FOUND);
      expect(await clicked(id, BROWSER)).toMatchObject(NOT_FOUND);
    }
    await revoke(hidden.id);
  });
});

describe('an administrator', () => {
  it('extends an active promotion from its end', async () => {
    const promotion = await granted({ days: 3 });
    const extended = await acted(promotion.id, { action: 'extend', days: 2 });
    expect(extended).toMatchObject({ status: 'active', starts_at: promotion.starts_at });
    expect(Date.parse(String(extended.ends_at)) - Date.parse(String(promotion.ends_at))).toBe(2 * DAY_MS);
    await revoke(promotion.id);
  });

  it('loses no extension when two extend at once', async () => {
    const promotion = await granted({ days: 1 });
    await Promise.all(Array.from({ length: 6 }, () => acted(promotion.id, { action: 'extend', days: 1 })));
    const { ends_at } = await revoke(promotion.id);
    expect(ends_at).not.toBeNull();
    const again = await granted({ placements: ['banner'], days: 1 });
    await Promise.all(Array.from({ length: 6 }, () => acted(again.id, { action: 'extend', days: 1 })));
    const end = Date.parse(String((await stored(again.id))?.ends_at)) - Date.parse(String(again.ends_at));
    expect(end).toBe(6 * DAY_MS);
    await revoke(again.id);
  });

  it('lets an expired promotion run again from now, and each run is told once', async () => {
    const promotion = await granted();
    await acted(promotion.id, { action: 'set_end_date', ends_at: fromNow(50) });
    await world.until(async () => (await expire()).processed === 1);
    const again = await acted(promotion.id, { action: 'extend', days: 7 });
    expect(again.status).toBe('active');
    expect(Date.parse(String(again.ends_at)) - Date.parse(String(again.starts_at))).toBe(7 * DAY_MS);
    expect(await isShown(promotion.id)).toBe(true);
    // Over once more, and prolonged before anybody has noted it.
    await acted(promotion.id, { action: 'set_end_date', ends_at: fromNow(-1000) });
    expect(await acted(promotion.id, { action: 'set_end_date', ends_at: fromNow(DAY_MS) })).toMatchObject({
      status: 'active',
    });
    await revoke(promotion.id);
    await settled();
    expect(await eventsOf(promotion.id)).toEqual([
      'promotionActivated',
      'promotionExpired',
      'promotionActivated',
      'promotionExpired',
      'promotionActivated',
      'promotionRevoked',
    ]);
  });

  it('prolongs none of a project that is deleted or gone', async () => {
    const other = await directory.live(owner);
    const [over, running] = [await granted({ project_id: other.id }), await granted({ project_id: other.id })];
    await acted(over.id, { action: 'set_end_date', ends_at: fromNow(-1000) });
    const actions = [
      { action: 'extend', days: 7 },
      { action: 'set_end_date', ends_at: fromNow(30 * DAY_MS) },
    ];
    await directory.done('DELETE', `/api/projects/${other.id}`);
    for (const id of [over.id, running.id]) {
      for (const action of actions) expect(await act(id, action)).toMatchObject(conflict('INVALID_TRANSITION'));
    }
    expect(await acted(running.id, { action: 'set_end_date', ends_at: fromNow(-1000) })).toMatchObject({
      status: 'expired',
    });
    await directory.done('DELETE', `/api/admin/projects/${other.id}`);
    for (const action of actions) expect(await act(over.id, action)).toMatchObject(conflict('INVALID_TRANSITION'));
  });

  it('moves the end, and a time that has passed ends it now', async () => {
    const promotion = await granted();
    const ends_at = fromNow(2 * DAY_MS);
    expect(await acted(promotion.id, { action: 'set_end_date', ends_at })).toMatchObject({ status: 'active', ends_at });
    const ended = await acted(promotion.id, { action: 'set_end_date', ends_at: '2020-01-01T00:00:00+02:00' });
    expect(ended.status).toBe('expired');
    expect(Math.abs(Date.now() - Date.parse(String(ended.ends_at)))).toBeLessThan(5000);
    expect(await isShown(promotion.id)).toBe(false);
    // What has ended cannot have ended at another time.
    expect(await acted(promotion.id, { action: 'set_end_date', ends_at: fromNow(-DAY_MS) })).toMatchObject({
      ends_at: ended.ends_at,
    });
    await expire();
  });

  it('revokes with a reason, and it is shown no more at once', async () => {
    const promotion = await granted();
    const revoked = await acted(promotion.id, { action: 'revoke', reason: ' Not fitting. ' });
    expect(revoked).toMatchObject({ status: 'revoked', reason: 'Not fitting.', ends_at: TIME });
    expect(await isShown(promotion.id)).toBe(false);
    await settled();
    expect(await eventsOf(promotion.id)).toEqual(['promotionActivated', 'promotionRevoked']);
  });

  it.each([
    ['active', ['approve']],
    ['expired', ['approve', 'revoke']],
    ['revoked', ['approve', 'extend', 'revoke', 'set_end_date']],
  ] as const)('cannot do to one that is %s: %s', async (status, actions) => {
    const promotion = await granted();
    if (status === 'expired') await acted(promotion.id, { action: 'set_end_date', ends_at: fromNow(-1) });
    if (status === 'revoked') await revoke(promotion.id);
    for (const action of actions) {
      const answer = await act(promotion.id, { action, days: 1, ends_at: fromNow(DAY_MS) });
      expect(answer).toMatchObject(conflict('INVALID_TRANSITION'));
    }
    if (status === 'active') await revoke(promotion.id);
    await expire();
  });

  it('is named in the audit log for everything that he does', async () => {
    const promotion = await granted();
    await acted(promotion.id, { action: 'extend', days: 1 });
    await revoke(promotion.id);
    const log = await directory.get(`/api/admin/audit?subject=promotion:${promotion.id}`, admin);
    expect(dataOf(log)).toMatchObject([
      { action: 'promotions.administer', actor_id: admin.id, input: { action: 'revoke' } },
      { action: 'promotions.administer', input: { action: 'extend', days: 1 } },
      { action: 'promotions.grant', input: { project_id: project.id, days: 30 } },
    ]);
  });

  it('is one of two who revoke at once', async () => {
    const promotion = await granted();
    const answers = await Promise.all([1, 2].map(() => act(promotion.id, { action: 'revoke' })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    await settled();
    expect(await eventsOf(promotion.id)).toEqual(['promotionActivated', 'promotionRevoked']);
  });

  it.each([
    ['an unknown action', { action: 'paint' }, []],
    ['no action', {}, []],
    ['an extension by nothing', { action: 'extend' }, ['days']],
    ['an extension by 0 days', { action: 'extend', days: 0 }, ['days']],
    ['an extension by 366 days', { action: 'extend', days: 366 }, ['days']],
    ['an end that no time is', { action: 'set_end_date', ends_at: '2026-13-01' }, ['ends_at']],
    ['an end beyond three years', { action: 'set_end_date', ends_at: '2999-01-01T00:00:00Z' }, ['ends_at']],
    ['a reason of more than 1000 characters', { action: 'revoke', reason: 'x'.repeat(1001) }, ['reason']],
  ] as const)('is told what is wrong with %s', async (_, body, path) => {
    const promotion = await granted();
    const answer = await act(promotion.id, body);
    expect(answer).toMatchObject(path.length === 0 ? INVALID : invalidAt(...path));
    expect(await stored(promotion.id)).toEqual(promotion);
    await revoke(promotion.id);
  });

  it('cannot extend beyond three years', async () => {
    const promotion = await granted({ days: 365 });
    await acted(promotion.id, { action: 'extend', days: 365 });
    await acted(promotion.id, { action: 'extend', days: 365 });
    expect(await act(promotion.id, { action: 'extend', days: 365 })).toMatchObject(invalidAt('days'));
    await revoke(promotion.id);
  });

  it('is told 404 of what is unknown, and others 403', async () => {
    expect(await act('prm_00000000000000000000000000', { action: 'approve' })).toMatchObject(NOT_FOUND);
    expect(await act('nonsense', { action: 'revoke' })).toMatchObject(NOT_FOUND);
    expect(await act('nonsense', { action: 'revoke' }, owner)).toMatchObject(FORBIDDEN);
  });
});

describe('the list of administrators', () => {
  it('has active and expired ones by default, each status by its name, and all, newest first', async () => {
    const active = await granted();
    const expired = await granted();
    await acted(expired.id, { action: 'set_end_date', ends_at: fromNow(-1) });
    const revoked = await granted();
    await revoke(revoked.id);
    const ids = async (status?: string): Promise<string[]> => {
      const query = status === undefined ? '' : `&status=${status}`;
      const wanted = [active.id, expired.id, revoked.id];
      const found = idsOf(await directory.get(`${ADMIN_PATH}?limit=100${query}`, admin));
      return found.filter((id) => wanted.includes(id));
    };
    expect(await ids()).toEqual([expired.id, active.id]);
    expect(await ids('active')).toEqual([active.id]);
    // By its dates, before any job has noted it and after.
    expect(await ids('expired')).toEqual([expired.id]);
    await expire();
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

describe('the expiry job', () => {
  it('notes each end once and tells it once, however often and at whatever time it runs', async () => {
    const promotions = await Promise.all([granted(), granted()]);
    const running = await granted();
    for (const { id } of promotions) await acted(id, { action: 'set_end_date', ends_at: fromNow(-1) });
    const runs = await Promise.all([expire(), expire(), expire()]);
    expect(runs.reduce((sum, { processed }) => sum + processed, 0)).toBe(2);
    expect(await expire()).toEqual({ processed: 0 });
    await settled();
    for (const { id } of promotions) expect(await eventsOf(id)).toEqual(['promotionActivated', 'promotionExpired']);
    expect(await eventsOf(running.id)).toEqual(['promotionActivated']);
    await revoke(running.id);
  });
});

describe('the job for ends', () => {
  it('gives the place of a project that went while nobody was listening to others', async () => {
    const other = await directory.live(owner);
    const promotion = await granted({ project_id: other.id, placements: ['banner'] });
    const found = await findProject(other.id);
    if (found) await removeProject(found.project, []);
    const runs = await Promise.all([endPromotions(expiryPorts), endPromotions(expiryPorts)]);
    expect(runs.reduce((sum, { processed }) => sum + processed, 0)).toBe(1);
    expect(await stored(promotion.id)).toMatchObject({ status: 'revoked' });
    const next = await granted({ placements: ['banner'] });
    expect(await endPromotions(expiryPorts)).toMatchObject({ processed: 0 });
    await revoke(next.id);
  });
});

describe('the notice of an end', () => {
  it('is mailed to the owner once per end, three days before it at the earliest', async () => {
    const me = await person(world, { name: 'Ada' });
    const mine = await directory.live(me, { name: 'Analytical Engine' });
    const promotion = await granted({ project_id: mine.id, days: 4 });
    expect(await tellEndings(endingPorts)).toEqual({ told: 0 });
    await acted(promotion.id, { action: 'set_end_date', ends_at: fromNow(2 * DAY_MS) });
    const runs = [await tellEndings(endingPorts), await tellEndings(endingPorts)];
    expect(runs).toEqual([{ told: 1 }, { told: 0 }]);
    const mails = (await world.mails()).filter(({ subject }) =>
      subject.startsWith('The promotion of Analytical Engine'),
    );
    expect(mails.map(({ to }) => to)).toEqual([me.email]);
    // Prolonged, it has another end, and that one is told as well.
    await acted(promotion.id, { action: 'set_end_date', ends_at: fromNow(DAY_MS) });
    expect(await tellEndings(endingPorts)).toEqual({ told: 1 });
    await revoke(promotion.id);
    expect(await tellEndings(endingPorts)).toEqual({ told: 0 });
  });
});

describe("a user's own promotions", () => {
  it('are listed newest first with their numbers, and nobody else sees them', async () => {
    const me = await person(world);
    const mine = await directory.live(me);
    const first = await granted({ project_id: mine.id });
    const second = await granted({ project_id: mine.id, placements: ['detail'] });
    const answer = await directory.get('/api/user/promotions', me);
    expect(dataOf(answer)).toEqual([second, first]);
    expect(metaOf(answer)).toEqual({ total: 2, page: 1, pageSize: 40, hasMore: false });
    expect(idsOf(await directory.get('/api/user/promotions?limit=1&page=2', me))).toEqual([first.id]);
    expect(idsOf(await directory.get('/api/user/promotions', await person(world)))).toEqual([]);
    expect(await directory.get('/api/user/promotions')).toMatchObject(UNAUTHORIZED);
    await Promise.all([revoke(first.id), revoke(second.id)]);
    expect(dataOf(await directory.get('/api/user/promotions', me))).toMatchObject([
      { id: second.id, status: 'revoked' },
      { id: first.id, status: 'revoked' },
    ]);
  });

  it('get another call to action while they last', async () => {
    const promotion = await granted();
    const change = (who: Person | undefined, cta_text: unknown) =>
      directory.as(who, 'PUT', `/api/user/promotions/${promotion.id}`, { cta_text });
    expect(await change(owner, 'Taste it')).toMatchObject({ status: 200, body: { data: { cta_text: 'Taste it' } } });
    expect((await shown()).find(({ id }) => id === promotion.id)?.cta_text).toBe('Taste it');
    expect(await change(owner, '')).toMatchObject({ status: 200, body: { data: { cta_text: null } } });
    expect(await change(owner, 'x'.repeat(21))).toMatchObject(invalidAt('cta_text'));
    expect(await change(owner, undefined)).toMatchObject(invalidAt('cta_text'));
    expect(await change(await person(world), 'Mine')).toMatchObject(NOT_FOUND);
    expect(await change(undefined, 'Mine')).toMatchObject(UNAUTHORIZED);
    await revoke(promotion.id);
    expect(await change(owner, 'Late')).toMatchObject(conflict('INVALID_TRANSITION'));
  });
});
