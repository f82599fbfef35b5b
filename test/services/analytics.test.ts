import { describe, expect, it } from 'vitest';
import type { GroupBy, Range } from '#contract/analytics.ts';
import {
  addTallies,
  addToSite,
  bounded,
  type DayFigures,
  deduplicated,
  emptyDay,
  type Hit,
  type TrackedBatch,
  type TrackedLine,
} from '#model/analytics.ts';
import { firstDayOf, groupOf } from '#model/days.ts';
import { reportOn } from '#services/analytics/report.ts';
import { firstPortions } from '#services/analytics/roll-up.ts';
import { agentOf, referrerHostOf } from '#services/analytics/track.ts';

const figures = (day: string, pageviews: number, visitors = 1): DayFigures => ({
  ...emptyDay(day),
  pageviews,
  visitors,
});

describe('ranges and groups', () => {
  it('the first day of a range is such that the range ends today', () => {
    expect(firstDayOf('7d', '2026-03-03')).toBe('2026-02-25');
    expect(firstDayOf('30d', '2026-01-15')).toBe('2025-12-17');
    expect(firstDayOf('90d', '2024-03-01')).toBe('2023-12-03');
    expect(firstDayOf('all', '2026-11-21')).toBe('2023-11-23');
  });

  it.each([
    // Weeks begin on Monday, across months and years too.
    ['2026-11-21', 'week', '2026-11-16'],
    ['2026-11-22', 'week', '2026-11-16'],
    ['2026-11-23', 'week', '2026-11-23'],
    ['2026-12-01', 'week', '2026-11-30'],
    ['2027-01-01', 'week', '2026-12-28'],
    ['2027-01-03', 'week', '2026-12-28'],
    ['2027-01-04', 'week', '2027-01-04'],
    ['2024-02-29', 'week', '2024-02-26'],
    ['2026-11-21', 'month', '2026-11-01'],
    ['2026-12-31', 'month', '2026-12-01'],
    ['2027-01-01', 'month', '2027-01-01'],
    ['2024-02-29', 'month', '2024-02-01'],
    ['2024-02-29', 'day', '2024-02-29'],
  ] as const)('the day %s, grouped by %s, is in the group %s', (day, groupBy, date) => {
    expect(groupOf(day, groupBy)).toBe(date);
  });

  const trafficOf = (range: Range, groupBy: GroupBy, today: string, days: DayFigures[]) =>
    reportOn({ days, funnel: [] }, { range, from: firstDayOf(range, today), to: today }, groupBy, []).traffic.map(
      ({ submissions, ...traffic }) => {
        expect(submissions).toBe(0);
        return traffic;
      },
    );

  it('a report sums the days of its range, with zeroes for days without events', () => {
    const days = [figures('2026-12-27', 3), figures('2026-12-28', 5, 2), figures('2027-01-02', 7, 3)];
    expect(trafficOf('7d', 'day', '2027-01-02', days)).toEqual([
      { date: '2026-12-27', pageviews: 3, visitors: 1 },
      { date: '2026-12-28', pageviews: 5, visitors: 2 },
      { date: '2026-12-29', pageviews: 0, visitors: 0 },
      { date: '2026-12-30', pageviews: 0, visitors: 0 },
      { date: '2026-12-31', pageviews: 0, visitors: 0 },
      { date: '2027-01-01', pageviews: 0, visitors: 0 },
      { date: '2027-01-02', pageviews: 7, visitors: 3 },
    ]);
    expect(trafficOf('7d', 'week', '2027-01-02', days)).toEqual([
      { date: '2026-12-21', pageviews: 3, visitors: 1 },
      { date: '2026-12-28', pageviews: 12, visitors: 5 },
    ]);
    expect(trafficOf('7d', 'month', '2027-01-02', days)).toEqual([
      { date: '2026-12-01', pageviews: 8, visitors: 3 },
      { date: '2027-01-01', pageviews: 7, visitors: 3 },
    ]);
  });

  it('the range "all" starts at the first day with events, or today without any', () => {
    expect(trafficOf('all', 'month', '2026-03-01', [figures('2025-12-31', 1), figures('2026-03-01', 2)])).toEqual([
      { date: '2025-12-01', pageviews: 1, visitors: 1 },
      { date: '2026-01-01', pageviews: 0, visitors: 0 },
      { date: '2026-02-01', pageviews: 0, visitors: 0 },
      { date: '2026-03-01', pageviews: 2, visitors: 1 },
    ]);
    expect(trafficOf('all', 'day', '2026-03-01', [])).toEqual([{ date: '2026-03-01', pageviews: 0, visitors: 0 }]);
  });
});

const conversion = (visitors: number, approved: number) =>
  reportOn(
    { days: [figures('2026-03-01', 1, visitors)], funnel: [{ day: '2026-03-01', submitted: 9, paid: 1, approved }] },
    { range: '7d', from: '2026-02-23', to: '2026-03-01' },
    'day',
    [],
  ).funnel.conversion;

it('the funnel has the ratio of approvals to visitors as conversion, 0 without visitors', () => {
  expect(conversion(3, 1)).toBe(0.3333);
  expect(conversion(8, 2)).toBe(0.25);
  expect(conversion(0, 5)).toBe(0);
});

it('tallies are summed and sorted by count, then by name', () => {
  expect(
    addTallies(
      [
        ['b', 1],
        ['a', 1],
      ],
      [['c', 3]],
      [['b', 1]],
    ),
  ).toEqual([
    ['c', 3],
    ['b', 2],
    ['a', 1],
  ]);
  expect(addTallies([['__proto__', 1]], [['__proto__', 2]])).toEqual([['__proto__', 3]]);
});

it('tallies merge the least frequent names into Other beyond the limit and keep the total', () => {
  expect(
    bounded(
      [
        ['a', 5],
        ['b', 3],
      ],
      2,
    ),
  ).toEqual([
    ['a', 5],
    ['b', 3],
  ]);
  expect(
    bounded(
      [
        ['a', 5],
        ['b', 3],
        ['c', 1],
      ],
      2,
    ),
  ).toEqual([
    ['a', 5],
    ['Other', 4],
  ]);
  expect(
    bounded(
      [
        ['Other', 9],
        ['a', 5],
        ['b', 3],
      ],
      2,
    ),
  ).toEqual([
    ['a', 5],
    ['b', 3],
    ['Other', 9],
  ]);
});

it('tallies limit the number of names of a day', () => {
  const from = { country: 'CH', browser: 'Chrome', device: 'desktop', hour: 9, visitor: 'v', counted: true };
  const hits = Array.from({ length: 5000 }, (_, n): Hit => {
    const line: TrackedLine = { type: 'pageview', project: null, referrer: `host${n}.example`, count: 1 };
    return { from, line, projectId: null };
  });
  const day = addToSite(emptyDay('2026-03-01'), hits, 0);
  expect(day.referrers.length).toBeLessThanOrEqual(200);
  expect(day.referrers.reduce((sum, [, count]) => sum + count, 0)).toBe(5000);
  expect(day.pageviews).toBe(5000);
});

const hit = (projectId: string, more: Partial<Hit['from']> = {}, type: TrackedLine['type'] = 'project_view'): Hit => ({
  from: { country: 'CH', browser: 'Chrome', device: 'desktop', hour: 9, visitor: 'v', counted: true, ...more },
  line: { type, project: projectId, referrer: null, count: 3 },
  projectId,
});

it('deduplication counts once what a visitor repeats within an hour, and continues with what is stored', () => {
  const first = deduplicated([], [hit('a'), hit('a'), hit('a', { hour: 23 }), hit('a', {}, 'outbound_click')]);
  expect(first.hits.map(({ line }) => [line.type, line.count])).toEqual([
    ['project_view', 1],
    ['project_view', 1],
    ['outbound_click', 3],
  ]);
  expect([first.ofSite, first.perProject]).toEqual([1, new Map([['a', 1]])]);
  const second = deduplicated(first.changed, [
    hit('a'),
    hit('a', { hour: 23 }),
    hit('a', { visitor: 'w', counted: false }),
  ]);
  expect(second.hits.map(({ from }) => from.visitor)).toEqual(['w']);
  expect([second.ofSite, second.perProject.size]).toEqual([0, 0]);
  expect(second.changed.map(({ visitor }) => visitor)).toEqual(['w']);
});

it('deduplication remembers a limited number of projects per visitor and does not count views of further ones', () => {
  const many = Array.from({ length: 1500 }, (_, n) => hit(`p${n}`));
  const { hits, changed } = deduplicated([], many);
  expect(hits).toHaveLength(1000);
  expect(JSON.stringify([...(changed[0]?.hours ?? [])]).length).toBeLessThan(50_000);
  const later = deduplicated(changed, [hit('p0'), hit('p1400'), hit('p1400', {}, 'outbound_click')]);
  expect(later.hits.map(({ line }) => line.type)).toEqual(['outbound_click']);
  expect(later.changed).toEqual([]);
});

it.each([
  ['https://www.Example.org/path?q=1', undefined, 'example.org'],
  ['http://example.org:8080/', undefined, 'example.org'],
  ['https://user:secret@example.org./', undefined, 'example.org'],
  ['https://bücher.example/', undefined, 'xn--bcher-kva.example'],
  ['https://www.site.example/', 'site.example', null],
  ['https://site.example/', 'www.site.example', null],
  ['android-app://com.example', undefined, null],
  ['javascript:alert(1)', undefined, null],
  ['not an address', undefined, null],
  ['', undefined, null],
  [undefined, undefined, null],
])('what is stored of a visitor of the referrer %s on the site %s is %s', (referrer, site, host) => {
  expect(referrerHostOf(referrer, site)).toBe(host);
});

it.each([
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Safari/605.1.15',
    'Safari',
    'desktop',
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
    'Chrome',
    'mobile',
  ],
  ['JaneDoe/1.0 (Phone of Jane)', 'Unknown', 'Unknown'],
  ['', 'Unknown', 'Unknown'],
  [undefined, 'Unknown', 'Unknown'],
  [`Mozilla/5.0 ${'x'.repeat(5000)} Chrome/131.0`, 'Unknown', 'Unknown'],
])(
  'what is stored of a visitor of the user agent %s is the browser %s and the device %s',
  (userAgent, browser, device) => {
    expect(agentOf(userAgent)).toEqual({ browser, device });
  },
);

const batch = (id: string, projects: number, more: Partial<TrackedBatch> = {}): TrackedBatch => ({
  id,
  day: '2026-03-01',
  hour: 9,
  visitor: id,
  counted: true,
  country: 'CH',
  browser: 'Chrome',
  device: 'desktop',
  lines: Array.from({ length: projects }, (_, n) => ({
    type: 'project_view',
    project: `${id}-${n}`,
    referrer: null,
    count: 1,
  })),
  done: 0,
  ...more,
});

it('portions fit into a transaction, and the next ones continue after them', () => {
  let waiting = [batch('a', 50), batch('b', 3), batch('c', 50)];
  const seen: string[] = [];
  for (let round = 0; waiting.length > 0; round += 1) {
    expect(round).toBeLessThan(10);
    const portions = firstPortions(waiting, 99);
    const lines = portions.flatMap(({ batch: one, upTo }) => one.lines.slice(one.done, upTo));
    expect(1 + 2 * portions.length + 3 * lines.length).toBeLessThanOrEqual(99);
    expect(lines.length).toBeGreaterThan(0);
    seen.push(...lines.map(({ project }) => String(project)));
    waiting = waiting.flatMap((one) => {
      const portion = portions.find(({ batch: { id } }) => id === one.id);
      if (!portion) return [one];
      return portion.upTo === one.lines.length ? [] : [{ ...one, done: portion.upTo }];
    });
  }
  expect(seen).toEqual(
    [batch('a', 50), batch('b', 3), batch('c', 50)].flatMap(({ lines }) => lines.map(({ project }) => String(project))),
  );
});

it('portions combine as many small batches as fit into a transaction', () => {
  const pageview: TrackedLine = { type: 'pageview', project: null, referrer: null, count: 1 };
  const many = Array.from({ length: 100 }, (_, n) => batch(`b${n}`, 0, { lines: [pageview] }));
  expect(firstPortions(many, 99)).toHaveLength(48);
  const ofOne = many.map((one) => ({ ...one, visitor: 'v' }));
  expect(firstPortions(ofOne, 99)).toHaveLength(96);
});
