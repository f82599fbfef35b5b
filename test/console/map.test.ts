import type { Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { dataOf, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually, isTooWide } from './browser.ts';

/** The map of the public pages. A tag of its own keeps the listings of other tests off it. */

describeInBrowser('the map of the listings', (context) => {
  let page: Page;
  let problems: string[];
  const tag = unique('mapped');
  const names = ['Lisbon', 'Porto', 'Sydney', 'Here one', 'Here two'].map((name) => unique(name));

  const origin = (): string => `http://localhost:${context.server.server.port}`;

  const marker = (name: string) => page.getByRole('button', { name, exact: true });

  const inView = (count: number) => page.getByText(`Listings in view: ${count}`, { exact: true }).waitFor();

  const open = async (hash = '', tagged = tag): Promise<void> => {
    await page.goto('about:blank');
    await page.goto(`${origin()}/map?tag=${tagged}${hash}`);
    await page.getByText('Listings in view').waitFor();
  };

  const addAt = async (name: string, [latitude, longitude]: readonly [number, number], tagged = tag): Promise<void> => {
    const address = { address_city: 'A city', address_country: 'A country' };
    await context.directory.live(context.directory.admin, { name, tags: [tagged], latitude, longitude, ...address });
  };

  beforeAll(async () => {
    const places = [
      [38.72, -9.14],
      [41.15, -8.61],
      [-33.87, 151.21],
      [52.52, 13.4],
      [52.52, 13.4],
    ] as const;
    for (const [index, place] of places.entries()) await addAt(names[index] ?? '', place);
    await context.directory.live(context.directory.admin, { name: unique('Nowhere'), tags: [tag] });
  });

  beforeEach(async () => {
    problems = [];
    page = await context.browser.newPage({
      locale: 'en-US',
      reducedMotion: 'reduce',
      viewport: { width: 1280, height: 900 },
    });
    page.setDefaultTimeout(90_000);
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
        problems.push(message.text());
    });
    page.on('request', (request) => {
      if (request.url().startsWith('http') && !request.url().startsWith(`${origin()}/`)) problems.push(request.url());
    });
  });

  afterEach(async () => {
    await page.close();
    expect(problems).toEqual([]);
  });

  it('a cluster zooms in until its listings are apart, and a listing shows its card', async () => {
    await open('#4.00/40.00/-9.00');
    await page.getByRole('button', { name: '2 listings, zoom in' }).first().click();
    await marker(names[0] ?? '').click();
    const link = page.getByRole('link', { name: names[0] ?? '' }).and(page.locator('.map-card a'));
    await link.waitFor();
    expect(await page.evaluate('document.activeElement.closest(".map-card") !== null')).toBe(true);
    await page.getByText('Free · A city, A country').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('.map-card').isHidden()).toBe(true);
    await marker(names[0] ?? '').click();
    await link.click();
    await page.getByRole('heading', { level: 1, name: names[0] ?? '' }).waitFor();
    await page.goBack();
    await marker(names[0] ?? '').waitFor();
  });

  longTest('listings at the same place are shown as a list', async () => {
    await open('#12.00/52.52/13.40');
    await page.getByRole('button', { name: '2 listings at the same place' }).click();
    await page.getByRole('link', { name: 'Show them as a list' }).click();
    await page.getByText('2 listings', { exact: true }).waitFor();
    for (const name of names.slice(3)) await page.getByRole('link', { name }).waitFor();
  });

  it('listings on both sides of the date line are one cluster, which stands between them', async () => {
    const [tagged, taveuni, rabi] = [unique('fiji'), unique('Taveuni'), unique('Rabi')];
    await addAt(taveuni, [-17, 179.5], tagged);
    await addAt(rabi, [-16, -179.5], tagged);
    await open('#5.00/-16.50/180.00', tagged);
    await page.getByRole('button', { name: '2 listings, zoom in' }).click();
    for (const name of [taveuni, rabi]) await marker(name).waitFor();
  });

  longTest.each([
    ['on the date line', '#12.00/-16.80/180.00', [-16.8, 180], [-16.8, -180]],
    ['on a pole', '#3.00/-90.00/0.00', [-90, 0], [-90, 120]],
    ['at coordinates with an exponent', '#12.00/1e-7/-1e-7', [1e-7, -1e-7], [1e-7, -1e-7]],
  ] as const)('listings at the same place %s are shown as a list', async (_, view, first, second) => {
    const [tagged, one, other] = [unique('same'), unique('One'), unique('Other')];
    await addAt(one, first, tagged);
    await addAt(other, second, tagged);
    await addAt(unique('Elsewhere'), [60, 90], tagged);
    await open(view, tagged);
    await inView(2);
    await page.getByRole('button', { name: '2 listings at the same place' }).click();
    await page.getByRole('link', { name: 'Show them as a list' }).click();
    await page.getByText('2 listings', { exact: true }).waitFor();
    for (const name of [one, other]) await page.getByRole('link', { name }).waitFor();
  });

  longTest('the keyboard, the buttons, dragging and the wheel move the map', async () => {
    await open('#6.00/0.00/0.00');
    await inView(0);
    const view = (): number[] => new URL(page.url()).hash.slice(1).split('/').map(Number);
    await page.getByRole('application').focus();
    await page.keyboard.press('ArrowRight');
    await eventually(() => (view()[2] ?? 0) > 1).toBe(true);
    await page.keyboard.press('ArrowUp');
    await eventually(() => (view()[1] ?? 0) > 1).toBe(true);
    await page.keyboard.press('+');
    await eventually(() => view()[0]).toBe(7);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await eventually(() => view()[0]).toBe(6);
    const [, , before = 0] = view();
    const box = await page.getByRole('application').boundingBox();
    const [x, y] = [(box?.x ?? 0) + 300, (box?.y ?? 0) + 200];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 200, y);
    await page.mouse.up();
    await eventually(() => (view()[2] ?? 0) < before - 3).toBe(true);
    await page.getByRole('application').focus();
    await page.mouse.wheel(0, -300);
    await eventually(() => view()[0]).toBe(7);
    await page.getByRole('button', { name: 'Show the whole map' }).click();
    await eventually(() => page.locator('.marker:visible').count()).toBeGreaterThan(0);
  });

  longTest('the filters of the list are those of the map, which follows the settings', async () => {
    const { directory } = context;
    await directory.adminOk('PUT', '/api/admin/map', { defaultProjection: 'mercator', lighting: 'night' });
    await context.server.until(async () => {
      const { body } = await context.server.call('GET', '/map');
      return String(body).includes('"lighting":"night"');
    });
    await open();
    await inView(5);
    expect(await page.locator('[data-light="night"]').count()).toBe(1);
    await page.goto(`${origin()}/map?tag=${tag}&pricing=paid`);
    await inView(0);
    await directory.adminOk('PUT', '/api/admin/map', { defaultProjection: null, lighting: null });
    const { map } = dataOf<{ map: object }>(await context.server.call('GET', '/api/settings'));
    expect(map).toBeDefined();
  });

  longTest('a failure is said, and passes with the next move', async () => {
    await open('#6.00/0.00/0.00');
    await page.route('**/api/projects/map?**', (route) => route.abort(), { times: 1 });
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor({ state: 'hidden' });
  });

  longTest('axe reports nothing in light and dark, wide and narrow, and right to left', async () => {
    for (const width of [1280, 360]) {
      for (const dir of ['ltr', 'rtl']) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(`${origin()}/map`);
        await page.evaluate(`document.documentElement.dir = '${dir}'`);
        await page.getByText('Listings in view').waitFor();
        expect([width, dir, await violationsOf(page)]).toEqual([width, dir, []]);
        expect([width, dir, await isTooWide(page)]).toEqual([width, dir, false]);
      }
    }
  });

  longTest('without script there is a list of links with filters, and no map', async () => {
    const plain = await context.browser.newPage({ javaScriptEnabled: false });
    await plain.goto(`${origin()}/map?tag=${tag}`);
    await plain.getByText('5 listings', { exact: true }).waitFor();
    for (const name of names) await plain.getByRole('link', { name }).first().waitFor();
    expect(await plain.getByRole('application').isVisible()).toBe(false);
    await plain.close();
  });
});
