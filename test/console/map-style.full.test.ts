import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from '#test/support/fixtures.ts';
import { violationsOf } from './axe.ts';
import { chromiumPath, describeInBrowser, eventually } from './browser.ts';

/** A style with one colour, and a tile source that has nothing. */
const STYLE = {
  version: 8,
  sources: { tiles: { type: 'vector', tiles: ['{origin}/tiles/{z}/{x}/{y}.pbf'], attribution: 'Drawn by a test' } },
  layers: [
    { id: 'background', type: 'background', paint: { 'background-color': '#ff0000' } },
    { id: 'streets', type: 'line', source: 'tiles', 'source-layer': 'streets' },
  ],
};

const tiles: string[] = [];
const styles: Server = createServer((request, response) => {
  const origin = `http://127.0.0.1:${(styles.address() as AddressInfo).port}`;
  if (request.url?.startsWith('/tiles/')) tiles.push(request.url);
  const isStyle = request.url === '/style.json';
  response
    .writeHead(isStyle ? 200 : 404, { 'access-control-allow-origin': '*', 'content-type': 'application/json' })
    .end(isStyle ? JSON.stringify(STYLE).replaceAll('{origin}', origin) : '{}');
});
await new Promise<void>((resolve) => styles.listen(0, '127.0.0.1', resolve));
const styleOrigin = `http://127.0.0.1:${(styles.address() as AddressInfo).port}`;

describeInBrowser(
  'the map with a style',
  (context) => {
    let browser: Browser;
    let page: Page;
    let requests: string[];
    const problems: string[] = [];
    const tag = unique('styled');
    const names = [unique('Lisbon'), unique('Porto')] as const;

    const origin = (): string => `http://localhost:${context.server.server.port}`;

    beforeAll(async () => {
      // The browser of the other tests has no WebGL.
      const args = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];
      browser = await chromium.launch({ executablePath: chromiumPath ?? '', args });
      const { directory } = context;
      for (const [name, latitude, longitude] of [
        [names[0], 38.72, -9.14],
        [names[1], 41.15, -8.61],
      ] as const)
        await directory.live(directory.admin, { name, tags: [tag], latitude, longitude });
    });

    afterAll(async () => {
      await browser?.close();
      styles.close();
      styles.closeAllConnections();
    });

    const open = async (path: string): Promise<void> => {
      requests = [];
      page = await browser.newPage({ locale: 'en-US', reducedMotion: 'reduce', viewport: { width: 900, height: 900 } });
      page.setDefaultTimeout(90_000);
      page.on('pageerror', ({ message }) => problems.push(message));
      page.on('console', (message) => {
        if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
          problems.push(message.text());
      });
      page.on('request', (request) => requests.push(request.url()));
      await page.goto(`${origin()}${path}`);
    };

    it('MapLibre draws it behind the same markers, which the keyboard reaches, and loads from its origin only', async () => {
      await open(`/map?tag=${tag}#4.00/40.00/-9.00`);
      await page.locator('[data-has-style]').waitFor();
      await page.getByText('Drawn by a test').waitFor();
      await page.getByRole('button', { name: '2 listings, zoom in' }).focus();
      await page.keyboard.press('Enter');
      const marker = page.getByRole('button', { name: names[0], exact: true });
      await marker.focus();
      await page.keyboard.press('Enter');
      await page.locator('.map-card').getByRole('link', { name: names[0] }).waitFor();
      await page.keyboard.press('Escape');
      await page.locator('[data-map-view]').focus();
      const before = page.url();
      await page.keyboard.press('ArrowRight');
      await eventually(() => page.url() !== before).toBe(true);
      expect(await page.locator('[data-map-outlines]').isHidden()).toBe(true);
      await eventually(() => tiles.length > 0).toBe(true);
      const origins = new Set(requests.filter((url) => url.startsWith('http')).map((url) => new URL(url).origin));
      expect([...origins].toSorted()).toEqual([origin(), styleOrigin].toSorted());
      expect(await violationsOf(page)).toEqual([]);
      const picture = await page.locator('[data-map-view]').screenshot();
      // The policy of the map permits no request for the picture.
      const drawn = await browser.newPage();
      const redShare = await drawn.evaluate(`(async () => {
        const response = await fetch('data:image/png;base64,${picture.toString('base64')}');
        const image = await createImageBitmap(await response.blob());
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, image.width, image.height);
        let red = 0;
        for (let at = 0; at < data.length; at += 4) if (data[at] > 240 && data[at + 1] < 20 && data[at + 2] < 20) red += 1;
        return red / (image.width * image.height);
      })()`);
      await drawn.close();
      expect(redShare).toBeGreaterThan(0.7);
      expect(problems).toEqual([]);
      await page.close();
    });

    it('the policy permits the origin of the style and the worker on the map only', async () => {
      const policyOf = async (path: string) =>
        (await fetch(`${origin()}${path}`)).headers.get('content-security-policy') ?? '';
      const map = await policyOf('/map');
      expect(map).toMatch(new RegExp(`connect-src 'self'[^;]* ${styleOrigin}(?:;|$)`));
      expect(map).toContain("worker-src 'self'");
      expect(map).not.toContain('blob:');
      const list = await policyOf('/projects');
      expect(list).not.toContain(styleOrigin);
      expect(list).not.toContain('worker-src');
    });

    it('the outlines stay when the style cannot be loaded, and the page says so', async () => {
      await open('/');
      await page.route(`${styleOrigin}/**`, (route) => route.abort());
      await page.goto(`${origin()}/map?tag=${tag}#4.00/40.00/-9.00`);
      await page.getByText('The streets cannot be shown').waitFor();
      await page.getByRole('button', { name: '2 listings, zoom in' }).waitFor();
      expect(await page.locator('[data-map-outlines]').isVisible()).toBe(true);
      await page.close();
    });
  },
  { MAP_STYLE_URL: `${styleOrigin}/style.json` },
);
