import { beforeEach, expect, it } from 'vitest';
import { insertTracked, visitorHash } from '#data/analytics.ts';
import { siteDayKey } from '#data/keys.ts';
import { dayAfter } from '#model/days.ts';
import { rollUp } from '#services/analytics/roll-up.ts';
import {
  agents,
  projectReport,
  ROLL_UP_BUDGET_MS,
  rollUpAll,
  siteReport,
  trackAccepted,
} from '#test/support/analytics.ts';
import { dataOf, person } from '#test/support/fixtures.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { interceptTable, type TableCall, textOfKey } from '#test/support/table-calls.ts';
import { atHour, beginAtHour } from '#test/support/virtual-time.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

// After the hours of the visits.
beginAtHour(22);

/** What has been tracked in this file so far. */
let sent = { pageviews: 0, project_views: 0 };
const visitors = new Set<string>();
/** The visitor, project and hour of each view: the same ones count once. */
const views = new Set<string>();
let hour = 0;

const { server, directory } = await ownDirectory();
const owner = await person(server);
// More than fit into one transaction.
const projects = await Promise.all(Array.from({ length: 40 }, () => directory.live(owner)));

const visit = async (n: number): Promise<void> => {
  const address = `203.0.113.${(n % 25) + 1}`;
  visitors.add(address);
  const id = projects[n % 3]?.id ?? '';
  views.add(`${address} ${id} ${hour}`);
  const events = [
    { type: 'pageview', path: '/' },
    { type: 'project_view', path: '/', project_id: id },
  ];
  await trackAccepted(server, { events }, { address });
  sent = { pageviews: sent.pageviews + 1, project_views: views.size };
};

const startHour = (): void => {
  hour += 1;
};

beforeEach(startHour);

const visits = (count: number, others: () => readonly Promise<unknown>[] = () => []) =>
  atHour(hour, () => Promise.all([...Array.from({ length: count }, (_, n) => visit(n)), ...others()]));

const waitingItems = async () => (await scanTable(server)).filter(({ type }) => type === 'tracked');

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

const isStep = ({ written }: TableCall): boolean =>
  written.includes(textOfKey(siteDayKey(new Date().toISOString().slice(0, 10))));

/** Runs a roll-up that is interrupted at its nth transaction, before or after the commit. */
const interruptedRollUp = async (nth: number, when: 'before' | 'after'): Promise<void> => {
  let steps = 0;
  const recover = interceptTable(async (call, send) => {
    if (!isStep(call)) return await send();
    steps += 1;
    const response = steps < nth || when === 'after' ? await send() : {};
    if (steps === nth) throw new Error('interrupted');
    return response;
  });
  await expect(rollUp(ROLL_UP_BUDGET_MS)).rejects.toThrow('interrupted');
  recover();
};

it.each([
  [1, 'before'],
  [1, 'after'],
  [2, 'before'],
  [2, 'after'],
  [3, 'after'],
] as const)(
  'analytics counts every event once when a roll-up is interrupted at transaction %i, %s the commit',
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

it('analytics counts every event once when roll-ups and requests run concurrently', async () => {
  await visits(120);
  await visits(60, () => [rollUpAll(), rollUpAll(), rollUpAll(), rollUpAll()]);
  await rollUpAll();
  await expectExactness();
});

it('analytics counts every impression and click once when roll-ups are interrupted and run concurrently', async () => {
  const grant = { project_id: projects[0]?.id, placements: ['catalog'], days: 1 };
  const { id } = dataOf<{ id: string }>(await directory.adminOk('POST', '/api/admin/promotions', grant, 201));
  const report = (n: number, counter: string) =>
    directory.as(undefined, 'POST', `/api/promotions/${id}/${counter}`, undefined, {
      'x-forwarded-for': `198.51.100.${(n % 30) + 1}`,
      'user-agent': agents.firefox,
    });
  const reports = (count: number, counter: string) => Array.from({ length: count }, (_, n) => report(n, counter));
  await Promise.all(reports(60, 'impressions'));
  await interruptedRollUp(1, 'after');
  await Promise.all([...reports(60, 'impressions'), rollUpAll(), rollUpAll(), ...reports(20, 'clicks')]);
  await atHour(23, () => Promise.all(reports(5, 'clicks')));
  await rollUpAll();
  const stored = dataOf<object[]>(await directory.get('/api/admin/promotions', directory.admin));
  expect(stored).toMatchObject([{ id, impressions: 30, clicks: 25 }]);
  await expectExactness();
});

it('a roll-up splits a request with more projects than fit into a transaction, and resumes between its parts', async () => {
  const events = projects.map(({ id }) => ({ type: 'project_view', path: '/', project_id: id }));
  const address = '203.0.113.200';
  visitors.add(address);
  const view = () => trackAccepted(server, { events }, { address });
  await atHour(hour, async () => [await view(), await view()]);
  for (const { project_id } of events) views.add(`${address} ${project_id} ${hour}`);
  sent = { ...sent, project_views: views.size };
  await interruptedRollUp(1, 'after');
  await rollUpAll();
  await expectExactness();
  const last = await projectReport(directory, projects.at(-1)?.id ?? '', owner);
  expect(last.totals).toMatchObject({ project_views: 1, visitors: 1 });
});

it('a roll-up completes when a project is deleted just before its transaction', async () => {
  const deleted = await directory.live(owner);
  const view = { type: 'project_view', path: '/', project_id: deleted.id };
  await trackAccepted(server, view, { address: '203.0.113.200' });
  let isDeleted = false;
  interceptTable(async (call, send) => {
    if (isDeleted || !isStep(call)) return await send();
    isDeleted = true;
    await directory.adminOk('DELETE', `/api/projects/${deleted.id}`);
    return await send();
  });
  expect(await rollUp(ROLL_UP_BUDGET_MS)).toMatchObject({ unfinished: false });
  expect((await siteReport(directory)).totals.project_views).toBe(sent.project_views);
  expect(await waitingItems()).toEqual([]);
});

it('a roll-up adds a past day after days without a roll-up, and closes it', async () => {
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

it('a roll-up leaves events to the next run when the time is up, and reports the run as unfinished', async () => {
  const before = (await siteReport(directory)).totals.pageviews;
  await trackAccepted(server, { type: 'pageview', path: '/' });
  expect(await rollUp(0)).toEqual({ processed: 0, unfinished: true });
  expect(await rollUp(ROLL_UP_BUDGET_MS)).toEqual({ processed: 1, unfinished: false });
  expect((await siteReport(directory)).totals.pageviews).toBe(before + 1);
});
