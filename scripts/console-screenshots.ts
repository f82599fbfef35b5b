import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { freshConsole } from '#lib/console.ts';
import { seed } from '#local/seed.ts';
import { startLocalServer } from '#local/server.ts';
import { launch, signIn } from '#test/console/browser.ts';
import { root } from './run.ts';

const HELP = `npm run console:screenshots

Starts the service with sample data and writes a screenshot of every page of the console into docs/console/: light, dark,
and 390 pixels wide. Needs a Chromium; CHROMIUM names its path.
  --help  prints this text`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

const SUBMISSIONS = [
  ['Kettle', 'Timers for every kind of tea, with the water temperature of each.'],
  ['مكتبة النور', 'فهرس للكتب النادرة مع صور لكل غلاف.'],
  ['A listing whose name is as long as a name can be, because such names exist and have to fit somewhere', 'Long.'],
  ['Kettle Pro', 'Timers for every kind of tea, with the water temperature of each, for teams.'],
] as const;

const send = async (url: string, path: string, body: object, token?: string): Promise<unknown> => {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return await response.json();
};

const tokenOf = async (url: string, body: object): Promise<string> =>
  ((await send(url, '/_local/token', body)) as { access_token: string }).access_token;

/** Something to decide about, and something to see in every list. */
const fill = async (url: string): Promise<void> => {
  const owner = await tokenOf(url, { email: 'ada@example.com', name: 'Ada' });
  const admin = await tokenOf(url, { email: 'grace@example.com', name: 'Grace', admin: true });
  for (const [name, description] of SUBMISSIONS) {
    const address = `https://kettle.example/${SUBMISSIONS.findIndex(([one]) => one === name)}`;
    const body = { plan: 'standard', pricing_type: 'free', categories: ['home'], name, url: address, description };
    await send(url, '/api/projects', body, owner);
  }
  const reply = { name: 'Too little information', text: '{{name}} lacks a description of what it does.' };
  await send(url, '/api/admin/replies', reply, admin);
};

const settled = async (page: Page): Promise<void> => {
  await page.waitForLoadState('networkidle');
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
};

const VARIANTS = [
  { name: 'light', colorScheme: 'light', width: 1280 },
  { name: 'dark', colorScheme: 'dark', width: 1280 },
  { name: 'narrow', colorScheme: 'light', width: 390 },
] as const;

const dataDir = mkdtempSync(join(tmpdir(), 'console-screenshots-'));
const target = join(root, 'docs/console');
await freshConsole();
const server = await startLocalServer({ port: 0, dataDir, seed, env: { LOG_LEVEL: 'ERROR' } });
const browser = await launch();
try {
  await fill(server.url);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const { name, colorScheme, width } of VARIANTS) {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 }, locale: 'en-US' });
    await signIn(page, server.url, 'administrator');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    const links = page.locator('nav a');
    const addresses = await links.evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href));
    for (const address of addresses) {
      await page.goto(address);
      await settled(page);
      const file = `${(await page.locator('h1').textContent())?.toLowerCase()}-${name}.png`;
      await page.screenshot({ path: join(target, file) });
      console.log(`docs/console/${file}`);
    }
    await page.close();
  }
} finally {
  await browser.close();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
