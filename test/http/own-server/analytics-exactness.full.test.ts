import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { applyStep, insertTracked, visitorHash } from '#data/tracked-events.ts';
import { dayAfter, hourOf } from '#model/days.ts';
import { rollUp } from '#services/analytics/roll-up.ts';
import {
  agents,
  projectReport,
  ROLL_UP_BUDGET_MS,
  rollUpAll,
  siteReport,
  trackAccepted,
} from '#test/support/analytics.ts';
import { type Directory, dataOf, type Person, person, type Submitted } from '#test/support/fixtures.ts';
import { scanTable } from '#test/support/scan-table.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

vi.mock(import('#data/tracked-events.ts'), { spy: true });
vi.mock(import('#model/days.ts'), { spy: true });

const original = await vi.importActual<{ applyStep: typeof applyStep }>('#data/tracked-events.ts');

let server: TestServer;
let directory: Directory;
let owner: Person;
let projects: Submitted[];
/** What has been tracked in this file so far. */
let sent = { pageviews: 0, project_views: 0 };
const visitors = new Set<string>();
/** The visitor, project and hour of each view: the same ones count once. */
const views = new Set<string>();
let hour = 0;

withOwnServer(async (opened) => {
  ({ server, directory } = opened);
  owner = await person(server);
  // More than fit into one transaction.
  projects = await Promise.all(Array.from({ length: 40 }, () => directory.live(owner)));
});

afterEach(() => {
  vi.mocked(applyStep).mockReset();
});

const visit = async (n: number): Promise<void> => {
  const address = `203.0.113.${(n % 25) + 1}`;
  visitors.add(address);
  const id = projects[n % 3]?.id ?? '';
  views.add(`${address} ${id} ${hour}`);
  await trackAccepted(
    server,
    {
      events: [
        { type: 'pageview', path: '/' },
        { type: 'project_view', path: '/', project_id: id },
      ],
    },
    { address },
  );
  sent = { pageviews: sent.pageviews + 1, project_views: views.size };
};

/** The visits of the next hour. */
const startHour = (): void => {
  hour += 1;
  vi.mocked(hourOf).mockReturnValue(hour);
};

beforeEach(startHour);

const visits = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => visit(n)));

const waitingItems = async () => (await scanTable(server)).filter(({ type }) => type === 'tracked');

/** Compares all figures with what has been tracked. */
const expectExactness = async (): Promise<void> => {
  const { totals, top_projects, countries } = await siteReport(directory);
  expect(totals).toEqual({ ...sent, visitors: visitors.size, outbound_clicks: 0 });
  expect(countries).toEqual([{ name: 'Unknown', count: sent.pageviews + sent.project_views }]);
  let read = 0;
  for (const { id } of projects) {
    const { views_count } = await directory.read(id);
    expect((await projectReport(directory, id, owner)).totals.project_views).toBe(views_count);
    read += views_count;
  }
  expect(read).toBe(sent.project_views);
  expect(top_projects.every(({ views: own }) => own > 0)).toBe(true);
  expect(await waitingItems()).toEqual([]);
};

/** Runs a roll-up that is interrupted at its nth transaction, before or after the commit. */
const interruptedRollUp = async (nth: number, when: 'before' | 'after'): Promise<void> => {
  let steps = 0;
  vi.mocked(applyStep).mockImplementation(async (step) => {
    steps += 1;
    if (steps < nth || when === 'after') await original.applyStep(step);
    if (steps === nth) throw new Error('interrupted');
  });
  await expect(rollUp(ROLL_UP_BUDGET_MS)).rejects.toThrow('interrupted');
  vi.mocked(applyStep).mockReset();
};

it.each([
  [1, 'before'],
  [1, 'after'],
  [2, 'before'],
  [2, 'after'],
  [3, 'after'],
] as const)(
  'counts every event once when a roll-up is interrupted at transaction %i, %s the commit',
  async (nth, when) => {
    await visits(150);
    await interruptedRollUp(nth, when);
    // The same visitors in the same hour, and in the next.
    await visits(10);
    startHour();
    await visits(10);
    await rollUpAll();
    await expectExactness();
  },
);

it('counts every event once when roll-ups and requests run concurrently', async () => {
  await visits(120);
  await Promise.all([rollUpAll(), rollUpAll(), rollUpAll(), visits(60), rollUpAll()]);
  await rollUpAll();
  await expectExactness();
});

it('counts every impression and click once when roll-ups are interrupted and run concurrently', async () => {
  const granted = await directory.as(directory.admin, 'POST', '/api/admin/promotions', {
    project_id: projects[0]?.id,
    placements: ['catalog'],
    days: 1,
  });
  expect(granted).toMatchObject({ status: 201 });
  const { id } = dataOf<{ id: string }>(granted);
  const report = (n: number, counter: string) =>
    directory.as(undefined, 'POST', `/api/promotions/${id}/${counter}`, undefined, {
      'x-forwarded-for': `198.51.100.${(n % 30) + 1}`,
      'user-agent': agents.firefox,
    });
  const reports = (count: number, counter: string) =>
    Promise.all(Array.from({ length: count }, (_, n) => report(n, counter)));
  await reports(60, 'impressions');
  await interruptedRollUp(1, 'after');
  await Promise.all([reports(60, 'impressions'), rollUpAll(), rollUpAll(), reports(20, 'clicks')]);
  startHour();
  await reports(5, 'clicks');
  await rollUpAll();
  const stored = dataOf<object[]>(await directory.get('/api/admin/promotions', directory.admin));
  expect(stored).toMatchObject([{ id, impressions: 30, clicks: 25 }]);
  await expectExactness();
});

it('splits a request with more projects than fit into a transaction, and resumes between its parts', async () => {
  const events = projects.map(({ id }) => ({ type: 'project_view', path: '/', project_id: id }));
  const address = '203.0.113.200';
  visitors.add(address);
  await trackAccepted(server, { events }, { address });
  await trackAccepted(server, { events }, { address });
  for (const { project_id } of events) views.add(`${address} ${project_id} ${hour}`);
  sent = { ...sent, project_views: views.size };
  await interruptedRollUp(1, 'after');
  await rollUpAll();
  await expectExactness();
  const last = await projectReport(directory, projects.at(-1)?.id ?? '', owner);
  expect(last.totals).toMatchObject({ project_views: 1, visitors: 1 });
});

it('completes when a project is deleted just before its transaction', async () => {
  const deleted = await directory.live(owner);
  await trackAccepted(
    server,
    { events: [{ type: 'project_view', path: '/', project_id: deleted.id }] },
    { address: '203.0.113.200' },
  );
  vi.mocked(applyStep).mockImplementationOnce(async (step) => {
    await directory.adminOk('DELETE', `/api/projects/${deleted.id}`);
    await original.applyStep(step);
  });
  expect(await rollUp(ROLL_UP_BUDGET_MS)).toMatchObject({ unfinished: false });
  expect((await siteReport(directory)).totals.project_views).toBe(sent.project_views);
  expect(await waitingItems()).toEqual([]);
});

it('rolls up a past day after days without a roll-up, and closes it', async () => {
  const day = dayAfter(new Date().toISOString().slice(0, 10), -5);
  await insertTracked({
    id: 'trk_01JD0000000000000000000000',
    day,
    hour: 3,
    counted: true,
    visitor: await visitorHash(day, ['visitor']),
    country: 'CH',
    browser: 'Chrome',
    device: 'desktop',
    lines: [{ type: 'pageview', project: null, referrer: null, count: 2 }],
    done: 0,
  });
  await rollUpAll();
  const { traffic } = await siteReport(directory, '?range=7d');
  expect(traffic[1]).toEqual({ date: day, pageviews: 2, visitors: 1, submissions: 0 });
  const left = (await scanTable(server)).filter(({ pk, sk }) => `${String(pk)} ${String(sk)}`.includes(day));
  expect(left).toMatchObject([{ type: 'day', day, pageviews: 2, visitors: 1, closed: true }]);
});

it('leaves events to the next run when the time is up, and reports the run as unfinished', async () => {
  const before = (await siteReport(directory)).totals.pageviews;
  await trackAccepted(server, { type: 'pageview', path: '/' });
  expect(await rollUp(0)).toEqual({ processed: 0, unfinished: true });
  expect(await rollUp(ROLL_UP_BUDGET_MS)).toEqual({ processed: 1, unfinished: false });
  expect((await siteReport(directory)).totals.pageviews).toBe(before + 1);
});
