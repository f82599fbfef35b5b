import { setTimeout as wait } from 'node:timers/promises';
import type { Job } from '#events/jobs.ts';
import { nextDue } from '#events/schedule-expression.ts';
import { log } from '#platform/log.ts';
import type { Background } from './background.ts';
import type { ImportDoor } from './doors.ts';
import type { Memory } from './journal.ts';
import { lambdaContext } from './lambda-context.ts';

/** What ticks, and what is started. */
export interface SchedulesOptions {
  readonly jobs: readonly Job[];
  readonly importDoor: ImportDoor;
  /** Where it is remembered when a job ran last. */
  readonly memory: Memory;
}

/** A clock that is set and a machine that has slept are noticed after this, in milliseconds. */
const NAP_MS = 30_000;
/** What was due while this machine was off is not done before others are served, in milliseconds. */
const CATCH_UP_MS = 5000;
/** How long the end waits for a job that runs. Every job may be interrupted. */
const PATIENCE_MS = 5000;

/**
 * Runs the jobs by their schedules, or more often where they say so for one machine; each by itself, and never twice at a time.
 * What was due while the machine was off is done once after the start. A run that fails is logged, and the next one comes.
 */
export const startSchedules = ({ jobs, importDoor, memory }: SchedulesOptions): Background => {
  const ending = new AbortController();
  const { signal } = ending;

  const run = async ({ route, timeoutSeconds }: Job): Promise<void> => {
    try {
      const handler = await importDoor(route.door ?? route.id);
      await handler({ schedule: route.id }, lambdaContext(route.id, 'schedule', timeoutSeconds));
    } catch (error) {
      // What a run that is interrupted complains about tells nobody anything.
      if (!signal.aborted) log.error('a scheduled job failed', { job: route.id, error: error as Error });
    }
  };

  const until = async (due: number): Promise<void> => {
    while (Date.now() < due) await wait(Math.min(NAP_MS, due - Date.now()), undefined, { signal });
  };

  const often = async (job: Job, everyMs: number): Promise<void> => {
    while (!signal.aborted) {
      await wait(everyMs, undefined, { signal });
      await run(job);
    }
  };

  const bySchedule = async (job: Job): Promise<void> => {
    const name = `schedule ${job.route.id}`;
    const earliest = Date.now() + CATCH_UP_MS;
    let last = Number(memory.recall(name) ?? Date.now());
    memory.remember(name, String(last));
    while (!signal.aborted) {
      await until(Math.max(earliest, nextDue(job.schedule, last)));
      last = Date.now();
      memory.remember(name, String(last));
      await run(job);
    }
  };

  const tick = async (job: Job): Promise<void> => {
    try {
      await (job.localSeconds === undefined ? bySchedule(job) : often(job, job.localSeconds * 1000));
    } catch (error) {
      if (!signal.aborted) log.error('a schedule has stopped', { job: job.route.id, error: error as Error });
    }
  };

  const ticking = Promise.all(jobs.filter(({ deployedOnly }) => !deployedOnly).map(tick));
  return {
    stop: async () => {
      ending.abort();
      const patience = new AbortController();
      await Promise.race([ticking, wait(PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => undefined)]);
      patience.abort();
    },
  };
};
