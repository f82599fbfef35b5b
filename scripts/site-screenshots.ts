import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshSite } from '#lib/site.ts';
import { seed } from '#local/seed.ts';
import { startLocalServer } from '#local/server.ts';
import { launch } from '#test/console/browser.ts';
import { root } from './run.ts';

const HELP = `npm run site:screenshots

Starts the service with sample data and writes screenshots of the public pages into docs/site/: light, dark, and 360 pixels
wide. Needs a Chromium; CHROMIUM names its path.
  --empty  starts it without data, and writes those of its home page
  --help   prints this text`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

const isEmpty = process.argv.includes('--empty');

const PAGES = [
  ['home', '/'],
  ['projects', '/projects'],
  ['categories', '/categories'],
  ['category', '/categories/design'],
  ['collection', '/collections/make-something'],
  ['project', '/projects/blender'],
  ['search', '/projects?q=docment%20sharing&match=fuzzy&sort=relevance'],
  ['map', '/map'],
  ['submit', '/submit'],
  ['sign-in', '/sign-in'],
  ['about', '/about'],
  ['checkout-success', '/checkout/success'],
  ['checkout-cancel', '/checkout/cancel'],
  ['not-found', '/projects/no-such-listing'],
] as const;

const VARIANTS = [
  { name: 'light', colorScheme: 'light', width: 1440 },
  { name: 'dark', colorScheme: 'dark', width: 1440 },
  { name: 'narrow', colorScheme: 'light', width: 360 },
] as const;

const dataDir = mkdtempSync(join(tmpdir(), 'site-screenshots-'));
const target = join(root, 'docs/site');
await freshSite();
const server = await startLocalServer({ port: 0, dataDir, ...(!isEmpty && { seed }), env: { LOG_LEVEL: 'ERROR' } });
const browser = await launch();
try {
  if (!isEmpty) rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const { name, colorScheme, width } of VARIANTS) {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 }, locale: 'en-US' });
    const save = async (file: string): Promise<void> => {
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: join(target, `${file}-${name}.png`) });
      console.log(`docs/site/${file}-${name}.png`);
    };
    for (const [file, path] of isEmpty ? ([['empty', '/']] as const) : PAGES) {
      await page.goto(`${server.url}${path}`);
      await save(file);
    }
    if (!isEmpty) {
      await page.goto(`${server.url}/sign-in?return_to=/me`);
      await page.getByRole('button', { name: 'Sign in as user' }).click();
      await page.waitForURL(`${server.url}/me`);
      await save('me');
    }
    await page.close();
  }
} finally {
  await browser.close();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
