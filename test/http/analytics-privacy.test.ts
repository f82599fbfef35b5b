import { expect, it } from 'vitest';
import { rollUp } from '#domain/analytics/roll-up.ts';
import { rollUpPorts, trackPorts } from '#ports/analytics.ts';
import { projectReport, rolledUp, siteReport, tracked, wholeTable } from '#test/support/analytics.ts';
import { asDoor } from '#test/support/aws-calls.ts';
import { type Directory, type Person, person, type Submitted } from '#test/support/fixtures.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** A day of visits, and what the table knows of the visitors before, during and after it: nothing. */

let world: TestWorld;
let directory: Directory;
let owner: Person;
let projects: Submitted[];

withDirectory(async (opened) => {
  ({ world, directory } = opened);
  owner = await person(world);
  projects = await Promise.all(Array.from({ length: 5 }, () => directory.live(owner)));
});

const REQUESTS = 780;
/** How many different visitors send them. */
const VISITORS = 180;
const EVENTS = 4;

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

/** What must stand nowhere: addresses and their networks, user agents and what is odd about each, and what pages know. */
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

const tracesIn = async (): Promise<string[]> => {
  const text = JSON.stringify(await wholeTable());
  return traces.filter((trace) => text.includes(trace));
};

const identifiers = new Set<string>();
/** The visitors that the table knows at this moment. */
const visitorsStored = async (): Promise<string[]> =>
  (await wholeTable()).flatMap(({ visitor }) => (typeof visitor === 'string' ? [visitor] : []));

it('keeps no address, user agent or path, also while nothing has been rolled up', async () => {
  const pairs = new Set<string>();
  const send = async (n: number): Promise<void> => {
    const address = pick(addresses, (n % VISITORS) * 7);
    const agent = pick(userAgents, (n % VISITORS) * 11);
    pairs.add(`${address} ${agent}`);
    const project = pick(projects, n);
    await tracked(
      world,
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
      expect(await tracesIn()).toEqual([]);
      for (const visitor of await visitorsStored()) identifiers.add(visitor);
    }
  }
  expect(await tracesIn()).toEqual([]);
  for (const visitor of await visitorsStored()) identifiers.add(visitor);

  await rolledUp();
  for (const visitor of await visitorsStored()) identifiers.add(visitor);
  expect(await tracesIn()).toEqual([]);
  expect((await siteReport(directory)).totals).toEqual({
    pageviews: REQUESTS,
    visitors: pairs.size,
    project_views: REQUESTS,
    outbound_clicks: REQUESTS,
  });
  expect(pairs.size).toBe(VISITORS);
  expect(identifiers.size).toBe(pairs.size);
  expect((await wholeTable()).filter(({ type }) => type === 'tracked')).toEqual([]);
  const views = await Promise.all(projects.map(async ({ id }) => (await directory.read(id)).views_count));
  expect(views.reduce((sum, count) => sum + count, 0)).toBe(REQUESTS);
  const { totals } = await projectReport(directory, projects[0]?.id ?? '', owner);
  expect(totals.project_views).toBe(views[0]);
});

it('knows no visitor any more when the day is over, and still how many there were', async () => {
  const before = await siteReport(directory);
  const tomorrow = new Date(
    Date.parse(`${new Date().toISOString().slice(0, 10)}T02:00:00.000Z`) + 86_400_000,
  ).toISOString();
  const ports = { ...rollUpPorts, now: () => tomorrow };
  // One that dies on the way leaves the rest to the next.
  await expect(
    asDoor('cron.rollUpAnalytics', () =>
      rollUp({
        ...ports,
        closeDay: () => Promise.reject(new Error('died')),
      }),
    ),
  ).rejects.toThrow('died');
  await rollUp(ports);
  await rollUp(ports);

  const table = await wholeTable();
  expect(table.filter(({ type }) => type === 'visitor' || type === 'salt' || type === 'tracked')).toEqual([]);
  const text = JSON.stringify(table);
  expect([...identifiers].filter((visitor) => text.includes(visitor))).toEqual([]);
  expect(await tracesIn()).toEqual([]);
  expect(await siteReport(directory)).toEqual(before);

  // What comes so late is counted, and its visitor, who cannot be told from the others, is not.
  await trackPorts.visitorOf('2026-01-01', ['a process that has not been here today knows no salt']);
  await trackPorts.insertTracked({
    id: 'trk_01JD0000000000000000000000',
    day: new Date().toISOString().slice(0, 10),
    visitor: '0123456789abcdef01',
    country: 'CH',
    browser: 'Chrome',
    device: 'desktop',
    lines: [{ type: 'pageview', project: null, referrer: null, count: 1 }],
    done: 0,
  });
  await rollUp(ports);
  const { totals } = await siteReport(directory);
  expect(totals).toEqual({ ...before.totals, pageviews: before.totals.pageviews + 1 });
  expect(JSON.stringify(await wholeTable())).not.toContain('0123456789abcdef01');
  expect(EVENTS * REQUESTS).toBeGreaterThan(3000);
});
