import { setTimeout as wait } from 'node:timers/promises';
import type { Job } from '#events/jobs.ts';
import { nextDue } from '#model/job.ts';
import { log } from '#platform/log.ts';
import { type BackgroundTask, logChanges } from './background.ts';
import type { ImportHandler } from './handlers.ts';
import type { Checkpoints } from './journal.ts';
import { lambdaContext } from './lambda-context.ts';

interface SchedulesOptions {
  readonly jobs: readonly Job[];
  readonly importHandler: ImportHandler;
  /** Where the last run of each job is stored. */
  readonly checkpoints: Checkpoints;
}

/** The longest single wait, so that changes of the system clock and sleep are noticed, in milliseconds. */
const WAIT_MAX_MS = 30_000;
/** Overdue jobs run this long after the start, so that they do not delay the first requests, in milliseconds. */
const CATCH_UP_MS = 5000;
/** How long `stop` waits for running jobs, in milliseconds. Every job may be interrupted. */
const STOP_MS = 5000;

/**
 * Runs each job by its schedule, or every `localSeconds`; runs of one job never overlap. A job that was due while the
 * machine was off runs once after the start. A failed run is logged; the next one follows.
 */
export const startSchedules = ({ jobs, importHandler, checkpoints }: SchedulesOptions): BackgroundTask => {
  const stopping = new AbortController();
  const { signal } = stopping;

  const run = async ({ route, timeoutSeconds }: Job): Promise<void> => {
    try {
      const handler = await importHandler(route.handlerId ?? route.id);
      await handler({ schedule: route.id }, lambdaContext(route.id, 'schedule', timeoutSeconds));
    } catch (error) {
      // An interrupted run fails with errors that mean nothing.
      if (!signal.aborted) log.error('a scheduled job failed', { job: route.id, error: error as Error });
    }
  };

  const state = logChanges('the time of a job could not be stored');
  /** Without a stored time the job may run again after a restart, which every job tolerates. */
  const store = (name: string, time: number): void => {
    try {
      checkpoints.set(name, String(time));
      state.succeeded();
    } catch (error) {
      state.failed(error);
    }
  };

  const runEvery = async (job: Job, pauseMs: number): Promise<void> => {
    if (job.atStart) {
      await wait(Math.min(CATCH_UP_MS, pauseMs), undefined, { signal });
      await run(job);
    }
    while (!signal.aborted) {
      await wait(pauseMs, undefined, { signal });
      await run(job);
    }
  };

  const runBySchedule = async (job: Job): Promise<void> => {
    const name = `schedule ${job.route.id}`;
    let last = Number(checkpoints.get(name) ?? Date.now());
    const ran = (time: number): void => {
      last = time;
      store(name, time);
    };
    ran(last);
    await wait(CATCH_UP_MS, undefined, { signal });
    while (!signal.aborted) {
      // The clock was ahead at the last run, and has been set back since.
      if (last > Date.now()) ran(Date.now());
      const pause = nextDue(job.schedule, last) - Date.now();
      if (pause > 0) {
        await wait(Math.min(WAIT_MAX_MS, pause), undefined, { signal });
        continue;
      }
      ran(Date.now());
      await run(job);
    }
  };

  const start = async (job: Job): Promise<void> => {
    try {
      await (job.localSeconds === undefined ? runBySchedule(job) : runEvery(job, job.localSeconds * 1000));
    } catch (error) {
      if (!signal.aborted) log.error('a schedule stopped', { job: job.route.id, error: error as Error });
    }
  };

  const running = Promise.all(jobs.filter(({ deployedOnly }) => !deployedOnly).map(start));
  return {
    stop: async () => {
      stopping.abort();
      const deadline = new AbortController();
      await Promise.race([running, wait(STOP_MS, undefined, { signal: deadline.signal }).catch(() => undefined)]);
      deadline.abort();
    },
  };
};
