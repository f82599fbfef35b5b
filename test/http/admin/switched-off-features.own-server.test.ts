import { expect, it } from 'vitest';
import { type Feature, neededFeatures } from '#contract/route.ts';
import { insertCheckout, saveSession } from '#data/payments.ts';
import { findPromotion, insertPromotion } from '#data/promotions.ts';
import { markFailing } from '#data/webhooks.ts';
import { newCheckout } from '#model/payment.ts';
import { promotionOfCheckout } from '#model/promotion.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { openSession } from '#platform/stripe.ts';
import { createWebhook } from '#services/webhooks/manage.ts';
import { track } from '#test/support/analytics.ts';
import { dataOf, invalidAt, NOT_FOUND, person } from '#test/support/fixtures.ts';
import { checkoutOf, chooseOutcome, ledgerOf } from '#test/support/payments.ts';
import { ownDirectory } from '#test/support/with-directory.ts';
import { featureToSwitchOff } from '#test/support/without-feature.ts';

const off = {
  FEATURE_PROMOTIONS: 'off',
  FEATURE_WEBHOOKS: 'off',
  FEATURE_MAP: 'off',
  FEATURE_SEARCH: 'off',
  FEATURE_SITE: 'off',
  FEATURE_VOTE_REVIEW: 'off',
  FEATURE_CLAIMS: 'off',
  FEATURE_COLLECTIONS: 'off',
};
const env = { ...off, PREMIUM_PRICE: '12300', CURRENCY: 'EUR' };

const { server, directory } = await ownDirectory({ env });

it('the settings omit disabled features and contain the configured prices', async () => {
  const site = dataOf<{ features: string[]; plans: object[] }>(await directory.get('/api/settings'));
  expect(site).not.toHaveProperty('map');
  expect(site).not.toHaveProperty('site');
  expect(site).not.toHaveProperty('promotion_prices');
  const further = ['bookmarks', 'feeds', 'fields', 'drafts', 'mcp', 'follows'];
  const enabled = ['comments', 'ratings', 'email', 'analytics', 'moderators', ...further];
  const switchedOff = featureToSwitchOff(env);
  const isOn = (feature: string) => feature !== switchedOff && neededFeatures[feature as Feature] !== switchedOff;
  expect(site.features).toEqual(enabled.filter((feature) => switchedOff === undefined || isOn(feature)));
  expect(site.plans).toContainEqual({ id: 'premium', price: 12_300, currency: 'eur' });
});

it('while promotions are off, none can be bought, and the payment of an open checkout is refunded', async () => {
  const buyer = await person(server);
  const project = await directory.live(buyer);
  const order = { kind: 'promotion', project_id: project.id, placements: ['detail'], months: 1 };
  expect(await directory.as(buyer, 'POST', '/api/payments/checkout', order)).toMatchObject(NOT_FOUND);

  const bought = { title: 'Open', amount: 1900, currency: 'usd', projectId: project.id, months: 1 } as const;
  const open = newCheckout({ kind: 'promotion', ...bought, placements: ['detail'] }, newId('chk'), buyer.id, now());
  await insertCheckout(open, undefined);
  await saveSession(open.id, await openSession(open, { email: null }));
  await chooseOutcome(directory, open.id, 'paid');
  await server.until(async () => (await checkoutOf(directory, buyer, open.id)).status === 'refunded');
  expect((await ledgerOf(directory, buyer)).map(({ type, note }) => [type, note])).toEqual([
    ['refund', null],
    ['payment', 'Promotions are switched off.'],
  ]);
  expect(await findPromotion(promotionOfCheckout(open.id))).toBeUndefined();
});

it('promotions, webhooks and cases of votes of features that are off do not count as pending', async () => {
  const { id } = await createWebhook({ url: 'https://example.com/', kinds: ['keyCreated'] });
  await markFailing(id, now());
  const project = await directory.live(await person(server));
  const dates = { starts_at: null, ends_at: null, months: 1, created_at: now() };
  const sold = { price: 1900, currency: 'usd', checkout_id: newId('chk'), cta_text: null, reason: null, version: 1 };
  const ids = { id: newId('prm'), project_id: project.id, user_id: directory.admin.id };
  await insertPromotion({ ...ids, placements: ['detail'], status: 'pending', ...dates, ...sold }, {}, []);
  const summary = dataOf<object>(await directory.adminOk('GET', '/api/admin/summary'));
  expect(summary).toMatchObject({ promotions_waiting: 0, webhooks_failing: 0 });
  expect(summary).not.toHaveProperty('vote_cases_open');
  expect(summary).not.toHaveProperty('claims_open');
});

it('while claims are off, none can be made and listings say nothing about them', async () => {
  const { id } = await directory.live(await person(server));
  const user = await person(server);
  expect(await directory.as(user, 'POST', `/api/projects/${id}/claims`, { method: 'manual' })).toMatchObject(NOT_FOUND);
  expect(await directory.get('/api/me/claims', user)).toMatchObject(NOT_FOUND);
  expect(await directory.read(id)).not.toHaveProperty('claimed_at');
});

it('searches are not tracked while search is off', async () => {
  const search = { type: 'search', path: '/', q: 'tea', results: 1 };
  expect(await track(server, search)).toMatchObject(invalidAt('type'));
  expect(await track(server, { type: 'pageview', path: '/' })).toMatchObject({ status: 202 });
  expect(await directory.get('/api/admin/analytics/searches', directory.admin)).toMatchObject(NOT_FOUND);
  const { id } = await directory.live(await person(server));
  expect(await directory.get(`/api/projects/${id}/related`)).toMatchObject(NOT_FOUND);
});

it('while search is off, its parameters are unknown, its order is 400 and its members are absent', async () => {
  const { sort_keys: keys } = dataOf<{ sort_keys: string[] }>(await directory.get('/api/settings'));
  expect(keys).not.toContain('relevance');
  const { status, body } = await directory.get('/api/projects?q=a&match=bogus&highlight=bogus');
  expect([status, body]).toMatchObject([200, { meta: { total: expect.any(Number) } }]);
  expect(JSON.stringify(body)).not.toContain('"search"');
  expect(await directory.get('/api/projects?q=a&sort=relevance')).toMatchObject(invalidAt('sort'));
  expect(await directory.get('/api/search/suggest?q=a')).toMatchObject(NOT_FOUND);
  expect(JSON.stringify((await directory.get('/api/openapi.json')).body)).not.toContain('"highlight"');
});

it.each(['/feed.xml', '/atom.xml', '/feed.json'])(
  'while collections are off, %s ignores the parameter of a collection, and collections are 404',
  async (path) => {
    await directory.live(await person(server));
    const whole = await directory.ok(undefined, 'GET', path);
    const filtered = await directory.ok(undefined, 'GET', `${path}?collection=any`);
    const entries = ({ body }: typeof whole): number =>
      (typeof body === 'string' ? body : JSON.stringify(body)).split(/<item>|<entry>|"date_published"/).length - 1;
    expect([entries(filtered) > 0, entries(filtered)]).toEqual([true, entries(whole)]);
    expect(await directory.get('/api/collections')).toMatchObject(NOT_FOUND);
    expect(await directory.asAdmin('GET', '/api/collections/any')).toMatchObject(NOT_FOUND);
  },
);
