import { expect, it } from 'vitest';
import { dayAfter } from '#domain/analytics/days.ts';
import { type RollUpPorts, rollUp } from '#domain/analytics/roll-up.ts';
import { rollUpPorts, trackPorts } from '#ports/analytics.ts';
import { projectReport, rolledUp, siteReport, tracked, wholeTable } from '#test/support/analytics.ts';
import { type Directory, type Person, person, type Submitted } from '#test/support/fixtures.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** Everything that was tracked is counted once, wherever a roll-up dies and however many run at the same time. */

let world: TestWorld;
let directory: Directory;
let owner: Person;
let projects: Submitted[];
/** What must have been counted by now. */
let sent = { pageviews: 0, project_views: 0 };
const visitors = new Set<string>();

withDirectory(async (opened) => {
  ({ world, directory } = opened);
  owner = await person(world);
  // More than one transaction takes at once.
  projects = await Promise.all(Array.from({ length: 40 }, () => directory.live(owner)));
});

const visit = async (n: number): Promise<void> => {
  const address = `203.0.113.${(n % 25) + 1}`;
  visitors.add(address);
  const id = projects[n % 3]?.id ?? '';
  await tracked(
    world,
    {
      events: [
        { type: 'pageview', path: '/' },
        { type: 'project_view', path: '/', project_id: id },
      ],
    },
    { address },
  );
  sent = { pageviews: sent.pageviews + 1, project_views: sent.project_views + 1 };
};

const visits = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => visit(n)));

const expectExactness = async (): Promise<void> => {
  const { totals, top_projects, countries } = await siteReport(directory);
  expect(totals).toEqual({ ...sent, visitors: visitors.size, outbound_clicks: 0 });
  expect(countries).toEqual([{ name: 'Unknown', count: sent.pageviews + sent.project_views }]);
  let views = 0;
  for (const { id } of projects) {
    const { views_count } = await directory.read(id);
    expect((await projectReport(directory, id, owner)).totals.project_views).toBe(views_count);
    views += views_count;
  }
  expect(views).toBe(sent.project_views);
  expect(top_projects.every(({ views: own }) => own > 0)).toBe(true);
  expect((await wholeTable()).filter(({ type }) => type === 'tracked')).toEqual([]);
};

/** Ports of a process that dies at its nth step, before or after the table has taken it. */
const dying = (nth: number, when: 'before' | 'after'): RollUpPorts => {
  let step = 0;
  return {
    ...rollUpPorts,
    applyStep: async (next) => {
      step += 1;
      if (step < nth || when === 'after') await rollUpPorts.applyStep(next);
      if (step === nth) throw new Error('died');
    },
  };
};

it.each([
  [1, 'before'],
  [1, 'after'],
  [2, 'before'],
  [2, 'after'],
  [3, 'after'],
] as const)('counts exactly when a roll-up dies at step %i, %s it is written', async (nth, when) => {
  await visits(150);
  // On its own, another one may already have come to the end.
  await rollUp(dying(nth, when)).catch((error: Error) => expect(error.message).toBe('died'));
  await visits(10);
  await rolledUp();
  await expectExactness();
});

it('counts once when several roll-ups run at the same time, while visits go on', async () => {
  await visits(120);
  await Promise.all([rolledUp(), rolledUp(), rolledUp(), visits(60), rolledUp()]);
  await rolledUp();
  await expectExactness();
});

it('counts a request that names more projects than one transaction takes, also when a run dies between its parts', async () => {
  const events = projects.map(({ id }) => ({ type: 'project_view', path: '/', project_id: id }));
  const address = '203.0.113.200';
  visitors.add(address);
  await tracked(world, { events }, { address });
  await tracked(world, { events }, { address });
  sent = { ...sent, project_views: sent.project_views + 2 * events.length };
  await rollUp(dying(1, 'after')).catch((error: Error) => expect(error.message).toBe('died'));
  await rolledUp();
  await expectExactness();
  const last = await projectReport(directory, projects.at(-1)?.id ?? '', owner);
  expect(last.totals).toMatchObject({ project_views: 2, visitors: 1 });
});

it('goes on when a project stops being live at the moment of its transaction', async () => {
  const fading = await directory.live(owner);
  await tracked(
    world,
    { events: [{ type: 'project_view', path: '/', project_id: fading.id }] },
    { address: '203.0.113.200' },
  );
  let steps = 0;
  const ports: RollUpPorts = {
    ...rollUpPorts,
    applyStep: async (next) => {
      steps += 1;
      if (steps === 1) await directory.done('DELETE', `/api/projects/${fading.id}`);
      await rollUpPorts.applyStep(next);
    },
  };
  await rollUp(ports);
  expect((await siteReport(directory)).totals.project_views - sent.project_views).toBeLessThanOrEqual(1);
  expect((await wholeTable()).filter(({ type }) => type === 'tracked')).toEqual([]);
});

it('goes on after some days on which nothing was rolled up, and closes what is long over', async () => {
  const day = dayAfter(new Date().toISOString().slice(0, 10), -5);
  await trackPorts.insertTracked({
    id: 'trk_01JD0000000000000000000000',
    day,
    visitor: await trackPorts.visitorOf(day, ['somebody']),
    country: 'CH',
    browser: 'Chrome',
    device: 'desktop',
    lines: [{ type: 'pageview', project: null, referrer: null, count: 2 }],
    done: 0,
  });
  await rolledUp();
  const { traffic } = await siteReport(directory, '?range=7d');
  expect(traffic[1]).toEqual({ date: day, pageviews: 2, visitors: 1 });
  const left = (await wholeTable()).filter(({ pk, sk }) => `${String(pk)} ${String(sk)}`.includes(day));
  expect(left).toMatchObject([{ type: 'day', day, pageviews: 2, visitors: 1, closed: true }]);
});

it('leaves the rest to the next run when its time is up, and says so', async () => {
  const before = (await siteReport(directory)).totals.pageviews;
  await tracked(world, { type: 'pageview', path: '/' });
  let asked = 0;
  const now = () => {
    asked += 1;
    return new Date(Date.now() + (asked > 1 ? 60_000 : 0)).toISOString();
  };
  const { processed, unfinished } = await rollUp({ ...rollUpPorts, now }, 1000);
  // Another run may have been faster, and then nothing is left.
  expect([processed, unfinished]).toEqual([0, unfinished]);
  expect(await rollUp(rollUpPorts)).toMatchObject({ unfinished: false });
  expect((await siteReport(directory)).totals.pageviews).toBe(before + 1);
});
