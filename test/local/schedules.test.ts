import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Job, jobs } from '#events/jobs.ts';
import { nextDue } from '#events/schedule-expression.ts';
import type { ImportDoor } from '#local/doors.ts';
import type { Memory } from '#local/journal.ts';
import { startSchedules } from '#local/schedules.ts';
import { log } from '#platform/log.ts';
import { startTestWorld } from '#test/support/world.ts';

const at = (time: string): number => Date.parse(time);
const due = (expression: string, after: string): string => new Date(nextDue(expression, at(after))).toISOString();

describe('a schedule', () => {
  it.each([
    ['rate(1 minute)', '2026-11-21T10:00:30.000Z', '2026-11-21T10:01:30.000Z'],
    ['rate(5 minutes)', '2026-11-21T10:00:00.000Z', '2026-11-21T10:05:00.000Z'],
    ['rate(2 hours)', '2026-11-21T23:00:00.000Z', '2026-11-22T01:00:00.000Z'],
    ['rate(1 day)', '2026-11-21T10:00:00.000Z', '2026-11-22T10:00:00.000Z'],
    ['cron(40 2 * * ? *)', '2026-11-21T02:39:59.999Z', '2026-11-21T02:40:00.000Z'],
    ['cron(40 2 * * ? *)', '2026-11-21T02:40:00.000Z', '2026-11-22T02:40:00.000Z'],
    ['cron(10 1-5 * * ? *)', '2026-11-21T05:10:00.000Z', '2026-11-22T01:10:00.000Z'],
    ['cron(0/20 7-10 ? * MON *)', '2026-11-21T10:00:00.000Z', '2026-11-23T07:00:00.000Z'],
    ['cron(0/20 7-10 ? * MON *)', '2026-11-23T07:00:00.000Z', '2026-11-23T07:20:00.000Z'],
    ['cron(0/20 7-10 ? * MON *)', '2026-11-23T10:40:00.000Z', '2026-11-30T07:00:00.000Z'],
    ['cron(0 0 1 1 ? *)', '2026-11-21T10:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['cron(15,45 12 ? * 2,FRI *)', '2026-11-21T10:00:00.000Z', '2026-11-23T12:15:00.000Z'],
  ])('%s after %s is due at %s', (expression, after, expected) => {
    expect(due(expression, after)).toBe(expected);
  });

  it.each([
    '',
    'rate(five minutes)',
    'rate(1 week)',
    'cron(x * * * ? *)',
    'cron(* * *)',
    'cron(0 0 31 2 ? *)',
    'cron(0 0 * * ? 2020)',
    'cron(0/0 * * * ? *)',
  ])('%s is refused', (expression) => {
    expect(() => nextDue(expression, at('2026-11-21T10:00:00.000Z'))).toThrow(/The schedule/);
  });

  it.each(jobs)('$schedule of the table is understood', ({ schedule }) => {
    expect(nextDue(schedule, Date.now())).toBeGreaterThan(Date.now());
  });
});

describe('ticking', () => {
  const [first] = jobs;
  const inMemory = (facts = new Map<string, string>()): Memory => ({
    recall: (name) => facts.get(name),
    remember: (name, value) => void facts.set(name, value),
  });
  const job = (more: Partial<Job>): Job => ({ ...first, localSeconds: undefined as never, ...more });

  beforeAll(() => {
    log.setLogLevel('CRITICAL');
  });

  const counting = (work: () => Promise<void> = async () => undefined) => {
    const events: unknown[] = [];
    const importDoor: ImportDoor = async () => async (event) => {
      events.push(event);
      await work();
    };
    return { events, importDoor };
  };

  it('runs the function of a job again and again, also after it has failed, until it is ended', async () => {
    const { events, importDoor } = counting(async () => {
      throw new Error('not this time');
    });
    const schedules = startSchedules({ jobs: [job({ localSeconds: 0.02 })], importDoor, memory: inMemory() });
    await vi.waitFor(() => expect(events.length).toBeGreaterThan(2));
    await schedules.stop();
    const ran = events.length;
    expect(events[0]).toEqual({ schedule: first.route.id });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(events).toHaveLength(ran);
  });

  it('never runs a job twice at a time, and waits for one that runs when it is ended', async () => {
    let running = 0;
    let most = 0;
    const { events, importDoor } = counting(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 60));
      running -= 1;
    });
    const schedules = startSchedules({ jobs: [job({ localSeconds: 0.01 })], importDoor, memory: inMemory() });
    await vi.waitFor(() => expect(events.length).toBeGreaterThan(1));
    await schedules.stop();
    expect([most, running]).toEqual([1, 0]);
  });

  it('does once after a start what was due while the machine was off', async () => {
    const facts = new Map([[`schedule ${first.route.id}`, String(Date.now() - 3 * 86_400_000)]]);
    const { events, importDoor } = counting();
    const daily = job({ schedule: 'cron(40 2 * * ? *)' });
    const schedules = startSchedules({ jobs: [daily], importDoor, memory: inMemory(facts) });
    await vi.waitFor(() => expect(events).toHaveLength(1), 8000);
    await schedules.stop();
    expect(Number(facts.get(`schedule ${first.route.id}`))).toBeGreaterThan(Date.now() - 10_000);
  }, 10_000);

  it('is part of a world that wants it', async () => {
    const world = await startTestWorld({ schedules: true });
    try {
      const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0';
      const body = { type: 'pageview', path: '/' };
      await world.call('POST', '/api/analytics/track', { body, headers: { 'user-agent': agent } });
      const token = await world.token({ email: 'root@example.com', admin: true });
      const pageviews = async () => {
        const { body: report } = await world.call('GET', '/api/admin/analytics', { token });
        return (report as { data: { totals: { pageviews: number } } }).data.totals.pageviews;
      };
      await world.until(async () => (await pageviews()) === 1, 10_000);
    } finally {
      await world.stop();
    }
  }, 20_000);
});
