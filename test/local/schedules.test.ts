import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Job, jobs } from '#events/jobs.ts';
import type { ImportHandler } from '#local/handlers.ts';
import type { Checkpoints } from '#local/journal.ts';
import { startSchedules } from '#local/schedules.ts';
import { jobNameOf, nextDue } from '#model/job.ts';
import { log } from '#platform/log.ts';
import { stopClocks, YEARS_AHEAD_MS } from '#test/support/virtual-time.ts';

const at = (time: string): number => Date.parse(time);
const due = (expression: string, after: string): string => new Date(nextDue(expression, at(after))).toISOString();

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
])('%s is due after %s at %s', (expression, after, expected) => {
  expect(due(expression, after)).toBe(expected);
});

it.each([
  ['publish-scheduled', '2026-11-21T06:59:00.000Z', '2026-11-21T07:00:00.000Z'],
  ['review-votes', '2026-11-21T06:59:00.000Z', '2026-11-21T07:04:00.000Z'],
  ['follow-digest', '2026-11-21T06:59:00.000Z', '2026-11-22T06:00:00.000Z'],
])('the job %s is due after %s at %s', (name, after, expected) => {
  const schedule = jobs.find(({ route }) => jobNameOf(route) === name)?.schedule ?? '';
  expect(due(schedule, after)).toBe(expected);
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
])('%s is rejected', (expression) => {
  expect(() => nextDue(expression, at('2026-11-21T10:00:00.000Z'))).toThrow(/The schedule/);
});

it.each(jobs)('the schedule expression $schedule of a job is valid', ({ schedule }) => {
  expect(nextDue(schedule, Date.now())).toBeGreaterThan(Date.now());
});

describe('the scheduler', () => {
  const [first] = jobs;
  const inMemory = (facts = new Map<string, string>()): Checkpoints => ({
    get: (name) => facts.get(name),
    set: (name, value) => void facts.set(name, value),
  });
  const job = (more: Partial<Job>): Job => ({ ...first, localSeconds: undefined as never, ...more });

  beforeAll(() => {
    log.setLogLevel('CRITICAL');
  });

  const counting = (work: () => Promise<void> = async () => undefined) => {
    const events: unknown[] = [];
    const importHandler: ImportHandler = async () => async (event) => {
      events.push(event);
      await work();
    };
    return { events, importHandler };
  };

  it('the scheduler runs a job repeatedly, also after a failure, until it is stopped', async () => {
    const { events, importHandler } = counting(async () => {
      throw new Error('a failed run');
    });
    stopClocks();
    const schedules = startSchedules({ jobs: [job({ localSeconds: 20 })], importHandler, checkpoints: inMemory() });
    await vi.advanceTimersByTimeAsync(65_000);
    await schedules.stop();
    expect(events).toEqual(Array.from({ length: 3 }, () => ({ schedule: first.route.id })));
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(events).toHaveLength(3);
  });

  it('the scheduler never overlaps runs of a job, and waits for a running job when it is stopped', async () => {
    stopClocks();
    let ended = 0;
    const { events, importHandler } = counting(async () => {
      await wait(3000);
      ended += 1;
    });
    const schedules = startSchedules({ jobs: [job({ localSeconds: 1 })], importHandler, checkpoints: inMemory() });
    await vi.advanceTimersByTimeAsync(3900);
    expect([events.length, ended]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(2000);
    expect([events.length, ended]).toEqual([2, 1]);
    const stopped = schedules.stop();
    await vi.advanceTimersByTimeAsync(3000);
    await stopped;
    expect([events.length, ended]).toEqual([2, 2]);
  });

  describe('after a start with a clock that was years ahead', () => {
    const everyFiveMinutes = job({ schedule: 'rate(5 minutes)' });
    const name = `schedule ${first.route.id}`;

    it('runs a job one period after the start, and then by its schedule', async () => {
      stopClocks();
      const facts = new Map([[name, String(Date.now() + YEARS_AHEAD_MS)]]);
      const { events, importHandler } = counting();
      const schedules = startSchedules({ jobs: [everyFiveMinutes], importHandler, checkpoints: inMemory(facts) });
      await vi.advanceTimersByTimeAsync(4 * 60_000);
      expect(events).toHaveLength(0);
      await vi.advanceTimersByTimeAsync(2 * 60_000);
      expect(events).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(10 * 60_000);
      expect(events).toHaveLength(3);
      expect(Number(facts.get(name))).toBeLessThanOrEqual(Date.now());
      await schedules.stop();
    });

    it('does not wait for a whole period again with each restart', async () => {
      stopClocks();
      const facts = new Map([[name, String(Date.now() + YEARS_AHEAD_MS)]]);
      const { events, importHandler } = counting();
      for (let starts = 0; starts < 4; starts += 1) {
        const schedules = startSchedules({ jobs: [everyFiveMinutes], importHandler, checkpoints: inMemory(facts) });
        await vi.advanceTimersByTimeAsync(2 * 60_000);
        await schedules.stop();
      }
      expect(events).toHaveLength(1);
    });

    it('runs a job one period after the clock is set back, without a restart', async () => {
      stopClocks();
      const right = Date.now();
      vi.setSystemTime(right + YEARS_AHEAD_MS);
      const { events, importHandler } = counting();
      const schedules = startSchedules({ jobs: [everyFiveMinutes], importHandler, checkpoints: inMemory() });
      await vi.advanceTimersByTimeAsync(6 * 60_000);
      expect(events).toHaveLength(1);
      vi.setSystemTime(right);
      await vi.advanceTimersByTimeAsync(6 * 60_000);
      expect(events).toHaveLength(2);
      await schedules.stop();
    });
  });
});
