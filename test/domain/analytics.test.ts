import { describe, expect, it } from 'vitest';
import type { GroupBy, Range } from '#contract/analytics.ts';
import { agentOf } from '#domain/analytics/agent.ts';
import { firstDayOf, groupOf } from '#domain/analytics/days.ts';
import { type DayFigures, type Hit, noFigures, siteFiguresWith } from '#domain/analytics/figures.ts';
import { firstPortions } from '#domain/analytics/portion.ts';
import { readSiteReport, reportOn } from '#domain/analytics/report.ts';
import { addTallies, bounded } from '#domain/analytics/tally.ts';
import { referrerHostOf, type TrackedBatch, type TrackedLine } from '#domain/analytics/track.ts';

const figures = (day: string, pageviews: number, visitors = 1): DayFigures => ({
  ...noFigures(day),
  pageviews,
  visitors,
});

describe('ranges and groups', () => {
  it('end today: seven days are today and six before it', () => {
    expect(firstDayOf('7d', '2026-03-03')).toBe('2026-02-25');
    expect(firstDayOf('30d', '2026-01-15')).toBe('2025-12-17');
    expect(firstDayOf('90d', '2024-03-01')).toBe('2023-12-03');
    expect(firstDayOf('all', '2026-11-21')).toBe('2023-11-23');
  });

  it.each([
    // Weeks begin on Monday, also across months and years.
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
  ] as const)('place %s by %s at %s', (day, groupBy, date) => {
    expect(groupOf(day, groupBy)).toBe(date);
  });

  const trafficOf = (range: Range, groupBy: GroupBy, today: string, days: DayFigures[]) =>
    reportOn({ days, funnel: [] }, { range, groupBy }, today, []).traffic;

  it('add up days within the range, with zeroes for those without any', () => {
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

  it('begin with the first day that has anything for "all", with today where nothing has', () => {
    expect(trafficOf('all', 'month', '2026-03-01', [figures('2025-12-31', 1), figures('2026-03-01', 2)])).toEqual([
      { date: '2025-12-01', pageviews: 1, visitors: 1 },
      { date: '2026-01-01', pageviews: 0, visitors: 0 },
      { date: '2026-02-01', pageviews: 0, visitors: 0 },
      { date: '2026-03-01', pageviews: 2, visitors: 1 },
    ]);
    expect(trafficOf('all', 'day', '2026-03-01', [])).toEqual([{ date: '2026-03-01', pageviews: 0, visitors: 0 }]);
  });

  it('read the days of the range and nothing else, by the clock in UTC', async () => {
    const asked: string[] = [];
    const report = await readSiteReport(
      {
        now: () => '2027-01-01T00:00:00.000Z',
        siteRollUps: async (from, to) => {
          asked.push(from, to);
          return { days: [], funnel: [] };
        },
        namedProjects: async () => [],
      },
      { range: '7d', groupBy: 'day' },
    );
    expect(asked).toEqual(['2026-12-26', '2027-01-01']);
    expect(report.traffic.map(({ date }) => date)).toHaveLength(7);
  });
});

describe('the funnel', () => {
  const conversion = (visitors: number, approved: number) =>
    reportOn(
      { days: [figures('2026-03-01', 1, visitors)], funnel: [{ day: '2026-03-01', submitted: 9, paid: 1, approved }] },
      { range: '7d', groupBy: 'day' },
      '2026-03-01',
      [],
    ).funnel.conversion;

  it('converts visitors into approved submissions, and nobody into nothing', () => {
    expect(conversion(3, 1)).toBe(0.3333);
    expect(conversion(8, 2)).toBe(0.25);
    expect(conversion(0, 5)).toBe(0);
  });
});

describe('tallies', () => {
  it('add up and stand by count, then by name', () => {
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

  it('have bounds, beyond which names become Other, and lose nothing', () => {
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

  it('keep a day small, whatever is sent', () => {
    const from = { country: 'CH', browser: 'Chrome', device: 'desktop', visitor: null };
    const hits = Array.from({ length: 5000 }, (_, n): Hit => {
      const line: TrackedLine = { type: 'pageview', project: null, referrer: `host${n}.example`, count: 1 };
      return { from, line, projectId: null };
    });
    const day = siteFiguresWith(noFigures('2026-03-01'), hits, 0);
    expect(day.referrers.length).toBeLessThanOrEqual(200);
    expect(day.referrers.reduce((sum, [, count]) => sum + count, 0)).toBe(5000);
    expect(day.pageviews).toBe(5000);
  });
});

describe('what is kept of a visitor', () => {
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
  ])('of the referrer %s on %s is %s', (referrer, site, host) => {
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
  ])('of the user agent %s is %s on %s', (userAgent, browser, device) => {
    expect(agentOf(userAgent)).toEqual({ browser, device });
  });
});

describe('portions', () => {
  const batch = (id: string, projects: number, more: Partial<TrackedBatch> = {}): TrackedBatch => ({
    id,
    day: '2026-03-01',
    visitor: id,
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

  it('fit into a transaction and go on where the last one ended', () => {
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
      [batch('a', 50), batch('b', 3), batch('c', 50)].flatMap(({ lines }) =>
        lines.map(({ project }) => String(project)),
      ),
    );
  });

  it('take many small requests together', () => {
    const pageview: TrackedLine = { type: 'pageview', project: null, referrer: null, count: 1 };
    const many = Array.from({ length: 100 }, (_, n) => batch(`b${n}`, 0, { lines: [pageview] }));
    expect(firstPortions(many, 99)).toHaveLength(49);
    const anonymous = many.map((one) => ({ ...one, visitor: null }));
    expect(firstPortions(anonymous, 99)).toHaveLength(98);
  });
});
