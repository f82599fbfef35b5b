import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { consoleFolder, freshConsole } from '#lib/console.ts';
import { launch, signIn } from '#test/console/browser.ts';

const HELP = `node bench/console.ts --url http://localhost:3000

The console in a Chromium, against a running local service (npm start):
  bytes        scripts and styles that the first load and every page fetch, gzip
  interactive  from a navigation with a cold cache to the first rows of Listings
  key press    from "a" in Queue to the next submission; submits and approves 50 listings

  --url     the service; its data folder may be one of bench/catalog/load.ts
  --loads   navigations (10)
  --help    this text`;

const { values } = parseArgs({
  options: { url: { type: 'string' }, loads: { type: 'string', default: '10' }, help: { type: 'boolean' } },
});

const DECISIONS = 50;

/** Different client addresses, because submissions are limited per address. */
const ADDRESSES = 10;

const quantile = (times: readonly number[], share: number): string => {
  const sorted = times.toSorted((one, other) => one - other);
  return `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)} ms`;
};

const summary = (times: readonly number[]): string => `median ${quantile(times, 0.5)}, p95 ${quantile(times, 0.95)}`;

const sizeOf = (file: string): number => gzipSync(readFileSync(join(consoleFolder, file)), { level: 9 }).length;

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} KB`;

const post = async (url: string, path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
  const init = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  };
  const response = await fetch(`${url}${path}`, init);
  if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
  return (await response.json()) as Readonly<Record<string, string>>;
};

/** The files that every page fetches after a navigation, with their size. */
const printBytes = async (page: Page, url: string): Promise<void> => {
  const links = await page
    .locator('nav a')
    .evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href));
  for (const link of links) {
    const files = new Set<string>();
    const note = (request: { url(): string }) => {
      const name = new URL(request.url()).pathname.split('/').at(-1) ?? '';
      if (readdirSync(consoleFolder).includes(name)) files.add(name);
    };
    page.on('request', note);
    await page.goto(link);
    await page.waitForLoadState('networkidle');
    page.off('request', note);
    const total = (extension: string) =>
      [...files].filter((name) => name.endsWith(extension)).reduce((sum, name) => sum + sizeOf(name), 0);
    const path = link.slice(url.length).padEnd(24);
    console.log(`${path} scripts ${kilobytes(total('.js')).padStart(9)}   styles ${kilobytes(total('.css'))}`);
  }
};

const measureLoads = async (page: Page, url: string, loads: number): Promise<number[]> => {
  const session = await page.context().newCDPSession(page);
  const times: number[] = [];
  for (let load = 0; load < loads; load += 1) {
    await session.send('Network.clearBrowserCache');
    const started = performance.now();
    await page.goto(`${url}/console/listings`, { waitUntil: 'commit' });
    await page.locator('tbody tr').first().waitFor();
    times.push(performance.now() - started);
  }
  return times;
};

const measureDecisions = async (page: Page, url: string): Promise<number[]> => {
  const { access_token: token } = await post(url, '/_local/token', { email: 'bench@example.com' });
  const { data: categories } = (await (await fetch(`${url}/api/categories`)).json()) as { data: { slug: string }[] };
  for (let at = 0; at < DECISIONS; at += 1) {
    const body = {
      plan: 'standard',
      pricing_type: 'free',
      categories: categories.slice(0, 1).map(({ slug }) => slug),
      description: 'A listing to decide about.',
    };
    const listing = { ...body, name: `Decision ${at}`, url: `https://decision-${at}.example` };
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': `198.51.100.${at % ADDRESSES}` };
    await post(url, '/api/projects', listing, headers);
  }
  await page.goto(`${url}/console/queue`);
  const detail = page.locator('.queue-detail');
  const times: number[] = [];
  for (let at = 0; at < DECISIONS; at += 1) {
    await detail.locator('h2').waitFor();
    const name = await detail.getAttribute('aria-label');
    const started = performance.now();
    await page.keyboard.press('a');
    await page.waitForFunction(
      `document.querySelector('.queue-detail')?.getAttribute('aria-label') !== ${JSON.stringify(name)}`,
      undefined,
      { polling: 2 },
    );
    times.push(performance.now() - started);
    if ((await detail.count()) === 0) break;
  }
  return times;
};

if (values.help || values.url === undefined) {
  console.log(HELP);
} else {
  const { url, loads } = values;
  await freshConsole();
  const browser = await launch();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await signIn(page, url, 'administrator');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await printBytes(page, url);
    console.log(`interactive: ${summary(await measureLoads(page, url, Number(loads)))}`);
    console.log(`key press to the next submission: ${summary(await measureDecisions(page, url))}`);
  } finally {
    await browser.close();
  }
}
