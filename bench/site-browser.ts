import { parseArgs } from 'node:util';
import type { Browser, CDPSession } from 'playwright-core';
import { launch } from '#test/console/browser.ts';

const HELP = `node bench/site-browser.ts --url http://localhost:3000 [--loads 5]

The public pages in a Chromium with slow 4G (150 ms, 1.6 Mbit/s down, 0.75 Mbit/s up) and a processor slowed 4 times, each load with
a cold cache, against a running local service (npm start): largest contentful paint, layout shift, and the time in which
long tasks blocked the page. Medians of all loads, each beside its goal.

  --url     the service; its data folder may be one of bench/catalog/load.ts
  --loads   loads per page (5)
  --help    this text`;

const { values } = parseArgs({
  options: { url: { type: 'string' }, loads: { type: 'string', default: '5' }, help: { type: 'boolean' } },
});

const GOALS = { paintMs: 2000, shift: 0.02, blockingMs: 100 } as const;
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1_000_000) / 8,
  uploadThroughput: (0.75 * 1_000_000) / 8,
};
const SLOWED = 4;
/** Longer tasks block the page. */
const TASK_MS = 50;
/** Layout may still shift, and the largest element be painted, this long after the load. */
const SETTLE_MS = 1500;

interface Figures {
  readonly paintMs: number;
  readonly shift: number;
  readonly blockingMs: number;
}

const OBSERVE = `
  globalThis.figures = { paintMs: 0, shift: 0, blockingMs: 0 };
  const observe = (type, add) =>
    new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({ type, buffered: true });
  observe('largest-contentful-paint', (entry) => { figures.paintMs = entry.startTime; });
  observe('layout-shift', (entry) => { if (!entry.hadRecentInput) figures.shift += entry.value; });
  observe('longtask', (entry) => { figures.blockingMs += entry.duration - ${TASK_MS}; });
`;

const slowDown = async (session: CDPSession): Promise<void> => {
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', SLOW_4G);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
};

const loadOnce = async (browser: Browser, address: string): Promise<Figures> => {
  // A profile of its own has a cold cache.
  const page = await browser.newPage({ viewport: { width: 412, height: 823 }, deviceScaleFactor: 2, locale: 'en-US' });
  try {
    await slowDown(await page.context().newCDPSession(page));
    await page.addInitScript(OBSERVE);
    await page.goto(address, { waitUntil: 'load', timeout: 120_000 });
    await page.waitForTimeout(SETTLE_MS);
    return await page.evaluate<Figures>('figures');
  } finally {
    await page.close();
  }
};

const medianOf = (all: readonly number[]): number =>
  all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0;

const pathsOf = async (url: string): Promise<readonly (readonly [string, string])[]> => {
  const slugOf = async (path: string): Promise<string> => {
    const { data } = (await (await fetch(`${url}${path}`)).json()) as { data: { slug: string }[] };
    return data[0]?.slug ?? '';
  };
  return [
    ['home', '/'],
    ['list', '/projects'],
    ['listing', `/projects/${await slugOf('/api/projects?limit=1')}`],
    ['categories', '/categories'],
    ['category', `/categories/${await slugOf('/api/categories')}`],
    ['map', '/map'],
    ['form', '/submit'],
    ['sign-in', '/sign-in'],
    ['account', '/me'],
  ];
};

const run = async (url: string, loads: number): Promise<void> => {
  const browser = await launch();
  try {
    console.log(
      `| Page | LCP ms (≤ ${GOALS.paintMs}) | CLS (≤ ${GOALS.shift}) | blocking ms (≤ ${GOALS.blockingMs}) | goals |`,
    );
    console.log('|---|---:|---:|---:|---|');
    for (const [name, path] of await pathsOf(url)) {
      const all: Figures[] = [];
      while (all.length < loads) all.push(await loadOnce(browser, `${url}${path}`));
      const of = (figure: keyof Figures): number => medianOf(all.map((one) => one[figure]));
      const isMet = (Object.keys(GOALS) as (keyof Figures)[]).every((figure) => of(figure) <= GOALS[figure]);
      const cells = [of('paintMs').toFixed(0), of('shift').toFixed(3), of('blockingMs').toFixed(0)];
      console.log(`| ${[name, ...cells, isMet ? 'met' : 'MISSED'].join(' | ')} |`);
    }
  } finally {
    await browser.close();
  }
};

if (values.help || values.url === undefined) console.log(HELP);
else await run(values.url.replace(/\/$/, ''), Number(values.loads));
