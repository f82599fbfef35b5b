import { describe, expect, it } from 'vitest';
import type { Promotion, ShownPromotion } from '#contract/promotions.ts';
import { findPromotion, insertPromotion } from '#data/promotions.ts';
import {
  conflict,
  type Directory,
  dataOf,
  FORBIDDEN,
  idsOf,
  invalidAt,
  NOT_FOUND,
  type Person,
  person,
  type Submitted,
  TIME,
} from '#test/support/fixtures.ts';
import { checkoutOf, decide, ledgerOf, type Started } from '#test/support/payments.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** Promotions that are bought: from the checkout through the approval to the shop window, and the money's way back. */

let world: TestWorld;
let directory: Directory;
let buyer: Person;
let project: Submitted;

withDirectory(async (opened) => {
  ({ world, directory } = opened);
  buyer = await person(world);
  project = await directory.live(buyer);
});

const ADMIN_PATH = '/api/admin/promotions';

const tryBuy = (body: Record<string, unknown> = {}, who = buyer) =>
  directory.as(who, 'POST', '/api/payments/checkout', {
    kind: 'promotion',
    project_id: project.id,
    placements: ['catalog'],
    months: 1,
    ...body,
  });

const began = async (body: Record<string, unknown> = {}, who = buyer): Promise<string> => {
  const answer = await tryBuy(body, who);
  expect(answer).toMatchObject({ status: 200 });
  return dataOf<Started>(answer).checkout_id;
};

const becomes = (checkoutId: string, status: string, who = buyer) =>
  world.until(async () => (await checkoutOf(directory, who, checkoutId)).status === status);

const promotionOf = (checkoutId: string): string => checkoutId.replace('chk_', 'prm_');

/** Buys and pays. */
const bought = async (body: Record<string, unknown> = {}, who = buyer) => {
  const checkoutId = await began(body, who);
  await decide(directory, checkoutId, 'paid');
  await becomes(checkoutId, 'fulfilled', who);
  return { checkoutId, id: promotionOf(checkoutId) };
};

const act = (id: string, body: Record<string, unknown>, who = directory.admin) =>
  directory.as(who, 'PUT', `${ADMIN_PATH}/${id}`, body);
const approve = (id: string) => act(id, { action: 'approve' });
const revoke = (id: string) => act(id, { action: 'revoke', reason: 'Not fitting.' });

const browse = async (status: string): Promise<Promotion[]> =>
  dataOf<Promotion[]>(await directory.get(`${ADMIN_PATH}?status=${status}&limit=100`, directory.admin));
const stored = async (id: string) => (await browse('all')).find((one) => one.id === id);

const shown = async (): Promise<string[]> => idsOf(await directory.get('/api/promotions?limit=100'));

const eventsOf = async (id: string): Promise<string[]> =>
  (await world.events())
    .filter((event) => (event.data as { promotion_id?: string }).promotion_id === id)
    .map(({ kind }) => kind)
    .toReversed();

describe('the price', () => {
  it.each([
    [['banner'], 1, 6900],
    [['catalog'], 3, 11_700],
    [['detail'], 12, 22_800],
    [['banner', 'detail'], 2, 17_600],
    [['banner', 'catalog', 'detail'], 1, 8890],
    [['detail', 'catalog', 'banner', 'banner'], 2, 17_780],
  ])(
    'of %s for %i months is %i cents: 69, 39 and 19 dollars a month, 30 percent off for all three',
    async (placements, months, amount) => {
      const checkoutId = await began({ placements, months });
      expect(await checkoutOf(directory, buyer, checkoutId)).toMatchObject({ amount, currency: 'usd', status: 'open' });
      await decide(directory, checkoutId, 'expired');
      await becomes(checkoutId, 'expired');
      expect(await stored(promotionOf(checkoutId))).toBeUndefined();
    },
  );

  it('is asked of the owner of a project only, and for what exists', async () => {
    expect(await tryBuy({}, await person(world))).toMatchObject(FORBIDDEN);
    expect(await tryBuy({ project_id: 'no-such-project' })).toMatchObject(NOT_FOUND);
    expect(await tryBuy({ placements: ['roof'] })).toMatchObject(invalidAt('placements', 0));
    expect(await tryBuy({ months: 13 })).toMatchObject(invalidAt('months'));
  });
});

describe('a promotion that is bought', () => {
  it('goes from its payment through the approval into the shop window', async () => {
    const checkoutId = await began({ placements: ['banner', 'catalog'], months: 2 });
    const id = promotionOf(checkoutId);

    // Nobody has paid.
    expect(await stored(id)).toMatchObject({
      status: 'pending_payment',
      project_id: project.id,
      user_id: buyer.id,
      placements: ['banner', 'catalog'],
      months: 2,
      price: 21_600,
      starts_at: null,
    });
    expect((await browse('pending_payment')).map((one) => one.id)).toContain(id);
    expect(await approve(id)).toMatchObject(conflict('INVALID_TRANSITION'));

    // Paid, and waiting.
    await decide(directory, checkoutId, 'paid');
    await becomes(checkoutId, 'fulfilled');
    const pending = await stored(id);
    expect(pending).toMatchObject({
      status: 'pending',
      starts_at: null,
      ends_at: null,
      price: 21_600,
      currency: 'usd',
    });
    expect(await browse('pending')).toEqual([pending]);
    expect(idsOf(await directory.get('/api/user/promotions', buyer))).toEqual([id]);
    expect(await shown()).not.toContain(id);
    expect(await directory.as(undefined, 'POST', `/api/promotions/${id}/clicks`)).toMatchObject(NOT_FOUND);
    expect(await act(id, { action: 'extend', days: 3 })).toMatchObject(conflict('INVALID_TRANSITION'));
    await directory.as(buyer, 'PUT', `/api/user/promotions/${id}`, { cta_text: 'Taste it' });

    // Approved, by one of two administrators.
    const answers = await Promise.all([approve(id), approve(id)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const active = dataOf<Promotion>(answers.find(({ status }) => status === 200) as { body: unknown });
    expect(active).toMatchObject({ status: 'active', starts_at: TIME, ends_at: TIME });
    const start = new Date(String(active.starts_at));
    const end = new Date(String(active.ends_at));
    expect((end.getUTCMonth() - start.getUTCMonth() + 12) % 12).toBe(2);
    await world.until(async () => (await eventsOf(id)).length > 0);

    // In the window of some shop.
    const window = dataOf<ShownPromotion[]>(await directory.get('/api/promotions?placement=banner'));
    expect(window).toMatchObject([{ id, cta_text: 'Taste it', project: { id: project.id, slug: project.slug } }]);
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
    for (const what of ['impressions', 'impressions', 'clicks']) {
      const path = `/api/promotions/${window[0]?.id}/${what}`;
      expect(await directory.as(undefined, 'POST', path, undefined, headers)).toMatchObject({ status: 202 });
    }
    const [own] = dataOf<Promotion[]>(await directory.get('/api/user/promotions', buyer));
    expect(own).toMatchObject({ id, status: 'active', impressions: 2, clicks: 1 });

    // The money goes back in part, and then in full.
    await decide(directory, checkoutId, 'refunded', 1000);
    await world.until(async () => (await checkoutOf(directory, buyer, checkoutId)).amount_refunded === 1000);
    expect(await shown()).toContain(id);
    await decide(directory, checkoutId, 'refunded');
    await becomes(checkoutId, 'refunded');
    expect(await shown()).not.toContain(id);
    expect(await stored(id)).toMatchObject({ status: 'revoked', reason: 'It was paid back.' });
    await world.until(async () => (await eventsOf(id)).includes('promotionRevoked'));
    expect(await eventsOf(id)).toEqual(['promotionActivated', 'promotionRevoked']);
  });

  it('holds its place while it waits, and gives it back when it is turned down', async () => {
    const { id, checkoutId } = await bought({ placements: ['banner'] });
    expect(await tryBuy({ placements: ['banner', 'detail'] })).toMatchObject(conflict('SOLD_OUT'));
    const grant = { project_id: project.id, placements: ['banner'], days: 1 };
    expect(await directory.as(directory.admin, 'POST', ADMIN_PATH, grant)).toMatchObject(conflict('SOLD_OUT'));

    expect(await revoke(id)).toMatchObject({ status: 200, body: { data: { status: 'revoked', starts_at: null } } });
    // It was never shown, so its price goes back and nobody is told that it was ended.
    await becomes(checkoutId, 'refunded');
    expect((await ledgerOf(directory, buyer)).filter((line) => line.checkout_id === checkoutId)).toMatchObject([
      { type: 'refund', amount: 6900 },
      { type: 'payment', amount: 6900 },
    ]);
    expect(await eventsOf(id)).toEqual([]);
    expect(await stored(id)).toMatchObject({ status: 'revoked', reason: 'Not fitting.' });
    const next = await began({ placements: ['banner'] });
    await decide(directory, next, 'expired');
  });

  it('is refused at the checkout while the banner runs', async () => {
    const { id } = await bought({ placements: ['banner'] });
    expect(await approve(id)).toMatchObject({ status: 200 });
    expect(await tryBuy({ placements: ['banner'] })).toMatchObject(conflict('SOLD_OUT'));
    await bought({ placements: ['catalog'] });
    await revoke(id);
  });

  it('goes to one of two who pay for the last place at the same moment; the other gets his money back', async () => {
    const rival = await person(world);
    const his = await directory.live(rival);
    const mine = await began({ placements: ['banner'] });
    const theirs = await began({ placements: ['banner', 'catalog', 'detail'], project_id: his.id }, rival);
    await Promise.all([decide(directory, mine, 'paid'), decide(directory, theirs, 'paid')]);
    const states = async () =>
      [await checkoutOf(directory, buyer, mine), await checkoutOf(directory, rival, theirs)].map(
        ({ status }) => status,
      );
    await world.until(async () => (await states()).toSorted().join() === 'fulfilled,refunded');
    const [lost, loser] = (await states())[0] === 'refunded' ? [mine, buyer] : [theirs, rival];
    const won = lost === mine ? theirs : mine;
    expect(await stored(promotionOf(lost))).toBeUndefined();
    expect(await stored(promotionOf(won))).toMatchObject({ status: 'pending' });
    const lines = (await ledgerOf(directory, loser)).filter((line) => line.checkout_id === lost);
    expect(lines.map(({ type }) => type)).toEqual(['refund', 'payment']);
    expect(lines[0]?.amount).toBe(lines[1]?.amount);
    await revoke(promotionOf(won));
  });

  it('never comes of a payment that failed', async () => {
    const checkoutId = await began({ placements: ['banner'] });
    await decide(directory, checkoutId, 'failed');
    await becomes(checkoutId, 'failed');
    expect(await stored(promotionOf(checkoutId))).toBeUndefined();
    expect(await approve(promotionOf(checkoutId))).toMatchObject(NOT_FOUND);
  });

  it('ends when the bank takes the money back', async () => {
    const { id, checkoutId } = await bought({ placements: ['detail'] });
    await approve(id);
    expect(await shown()).toContain(id);
    await decide(directory, checkoutId, 'disputed');
    await becomes(checkoutId, 'refunded');
    expect(await shown()).not.toContain(id);
    expect(await stored(id)).toMatchObject({ status: 'revoked' });
  });

  it('is not approved while nobody could see it', async () => {
    const waiting = await directory.submit(buyer);
    const { id } = await bought({ project_id: waiting.id });
    expect(await approve(id)).toMatchObject(conflict('INVALID_TRANSITION'));
    expect(await stored(id)).toMatchObject({ status: 'pending' });
    await directory.done('PUT', `/api/admin/projects/${waiting.id}/approve`);
    expect(await approve(id)).toMatchObject({ status: 200 });
  });

  it('is not approved while its place is taken', async () => {
    const { id } = await bought({ placements: ['banner'] });
    const pending = await findPromotion(id);
    if (!pending) throw new Error('It was not kept.');
    // As it comes to be when there are fewer places than there were.
    const other = { ...pending, id: 'prm_01KAAAAAAAAAAAAAAAAAAAAAAA', checkout_id: null, status: 'active' } as const;
    const dates = { starts_at: '2026-01-01T00:00:00.000Z', ends_at: '2099-01-01T00:00:00.000Z' };
    await insertPromotion({ ...other, ...dates }, {}, []);
    expect(await approve(id)).toMatchObject(conflict('SOLD_OUT'));
    expect(await stored(id)).toMatchObject({ status: 'pending' });
    expect(await revoke(other.id)).toMatchObject({ status: 200 });
    expect(await approve(id)).toMatchObject({ status: 200 });
    await revoke(id);
  });
});
