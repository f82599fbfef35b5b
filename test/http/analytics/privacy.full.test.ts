import { expect, it } from 'vitest';
import { insertTracked, visitorHash } from '#data/analytics.ts';
import { saltKey } from '#data/keys.ts';
import { rollUp } from '#services/analytics/roll-up.ts';
import { projectReport, ROLL_UP_BUDGET_MS, rollUpAll, siteReport, trackAccepted } from '#test/support/analytics.ts';
import { runAsHandler } from '#test/support/aws-calls.ts';
import { person } from '#test/support/fixtures.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { interceptTable, textOfKey } from '#test/support/table-calls.ts';
import { beginAtHour, withClockAhead } from '#test/support/virtual-time.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

// Views are counted once an hour.
beginAtHour(9);
const { server, directory } = await ownDirectory();
const owner = await person(server);
const projects = await Promise.all(Array.from({ length: 5 }, () => directory.live(owner)));

const REQUESTS = 780;
const VISITORS = 180;

const addresses = [
  ...Array.from({ length: 140 }, (_, n) => `198.51.100.${n + 20}`),
  ...Array.from({ length: 60 }, (_, n) => `2001:db8:${(n + 4096).toString(16)}:77::${n + 1}`),
];
const userAgents = Array.from(
  { length: 45 },
  (_, n) =>
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64; unit${n}q) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${80 + n}.0.4711.${n} Safari/537.36`,
);
const pick = <T>(all: readonly T[], n: number): T => all[n % all.length] as T;

/** Strings that must not be stored: addresses and networks, user agents and their distinctive parts, paths, names. */
const traces = [
  ...addresses,
  ...addresses.map((address) => address.replace(/::\d+$/, '')),
  ...userAgents,
  ...userAgents.map((_, n) => `unit${n}q`),
  ...userAgents.map((_, n) => `.0.4711.${n}`),
  'jane@example.com',
  'secret-token',
  '/members/',
];

const storedTraces = async (): Promise<string[]> => {
  const text = JSON.stringify(await scanTable(server));
  return traces.filter((trace) => text.includes(trace));
};

/** All visitor hashes that have been stored at any time. */
const hashes = new Set<string>();
const storedVisitors = async (): Promise<string[]> =>
  (await scanTable(server)).flatMap(({ visitor }) => (typeof visitor === 'string' ? [visitor] : []));

it('analytics stores no address, user agent, path or name, before and after a roll-up', async () => {
  const pairs = new Set<string>();
  const viewed = new Set<string>();
  const send = async (n: number): Promise<void> => {
    const address = pick(addresses, (n % VISITORS) * 7);
    const agent = pick(userAgents, (n % VISITORS) * 11);
    pairs.add(`${address} ${agent}`);
    const project = pick(projects, n);
    viewed.add(`${address} ${agent} ${project.id}`);
    await trackAccepted(
      server,
      {
        events: [
          {
            type: 'pageview',
            path: `/members/jane@example.com/${n}?token=secret-token`,
            referrer: `https://ref${n % 7}.example/?u=jane@example.com`,
          },
          { type: 'project_view', path: '/p', project_id: project.id },
          { type: 'outbound_click', path: '/p', project_id: project.id, name: 'jane@example.com' },
          { type: 'custom', path: '/p', name: 'jane@example.com', duration_ms: n },
        ],
      },
      { address, agent, headers: { 'cloudfront-viewer-country': n % 2 === 0 ? 'CH' : 'DE' } },
    );
  };
  for (let start = 0; start < REQUESTS; start += 30) {
    await Promise.all(Array.from({ length: 30 }, (_, n) => send(start + n)));
    if (start % 300 === 0) {
      expect(await storedTraces()).toEqual([]);
      for (const visitor of await storedVisitors()) hashes.add(visitor);
    }
  }
  expect(await storedTraces()).toEqual([]);
  for (const visitor of await storedVisitors()) hashes.add(visitor);

  await rollUpAll();
  for (const visitor of await storedVisitors()) hashes.add(visitor);
  expect(await storedTraces()).toEqual([]);
  expect((await siteReport(directory)).totals).toEqual({
    pageviews: REQUESTS,
    visitors: pairs.size,
    project_views: viewed.size,
    outbound_clicks: REQUESTS,
  });
  expect(pairs.size).toBe(VISITORS);
  expect(hashes.size).toBe(pairs.size);
  expect((await scanTable(server)).filter(({ type }) => type === 'tracked')).toEqual([]);
  const views = await Promise.all(projects.map(async ({ id }) => (await directory.read(id)).views_count));
  expect(views.reduce((sum, count) => sum + count, 0)).toBe(viewed.size);
  const { totals } = await projectReport(directory, projects[0]?.id ?? '', owner);
  expect(totals.project_views).toBe(views[0]);
}, 120_000);

it('analytics deletes visitors and salt after the day, and keeps the figures', async () => {
  const before = await siteReport(directory);
  const day = new Date().toISOString().slice(0, 10);
  const untilTomorrow = Date.parse(`${day}T02:00:00.000Z`) + 86_400_000 - Date.now();
  await withClockAhead(untilTomorrow, async () => {
    // An interrupted run is completed by the next one.
    const recover = interceptTable(({ written }, send) =>
      written.includes(textOfKey(saltKey(day))) ? Promise.reject(new Error('interrupted')) : send(),
    );
    await expect(runAsHandler('cron.rollUpAnalytics', () => rollUp(ROLL_UP_BUDGET_MS))).rejects.toThrow('interrupted');
    recover();
    await rollUpAll();
    await rollUpAll();
  });

  const table = await scanTable(server);
  expect(table.filter(({ type }) => type === 'visitor' || type === 'salt' || type === 'tracked')).toEqual([]);
  const text = JSON.stringify(table);
  expect([...hashes].filter((hash) => text.includes(hash))).toEqual([]);
  expect(await storedTraces()).toEqual([]);
  expect(await siteReport(directory)).toEqual(before);

  // Late events are counted without their visitor. Hashing for another day makes this process forget the day's salt.
  await visitorHash('2026-01-01', ['visitor']);
  await insertTracked({
    id: 'trk_01JD0000000000000000000000',
    day,
    hour: 9,
    visitor: '0123456789abcdef01',
    counted: true,
    country: 'CH',
    browser: 'Chrome',
    device: 'desktop',
    lines: [{ type: 'pageview', project: null, referrer: null, count: 1 }],
    done: 0,
  });
  await withClockAhead(untilTomorrow, rollUpAll);
  const { totals } = await siteReport(directory);
  expect(totals).toEqual({ ...before.totals, pageviews: before.totals.pageviews + 1 });
  expect(JSON.stringify(await scanTable(server))).not.toContain('0123456789abcdef01');
}, 120_000);
