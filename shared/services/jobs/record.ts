import type { JobRun } from '#contract/jobs.ts';
import { beginRun, endRun } from '#data/jobs.ts';
import { parseMessage } from '#events/catalogue.ts';
import { summaryOf } from '#model/job.ts';
import { now, secondsFromNow } from '#platform/clock.ts';
import { log, loggable } from '#platform/log.ts';
import { startRequestTime, writeOptions } from '#platform/time-limit.ts';

interface RunContext {
  readonly name: string;
  /** The id of the request or invocation, by which its log lines are found. */
  readonly requestId: string;
  /** The time until the process of the run ends, in milliseconds. */
  readonly remainingMs: number;
  readonly isScheduled: boolean;
}

/** The job that a message of the bus starts; undefined for other messages. */
export const jobInMessage = (detail: unknown): string | undefined => {
  const message = parseMessage(detail);
  return message.kind === 'jobDue' ? message.data.job : undefined;
};

/** Shorter than the attempts of a write to a table that does not respond, which would use up the time of the run. */
const RECORDING_MAX_MS = 3000;

/** Ends the attempts of a write with its time: a run that was marked as running after its end would block the next one. */
const recordInTime = async <T>(write: () => Promise<T>): Promise<T> => {
  const time = startRequestTime(RECORDING_MAX_MS);
  try {
    return await time.run(write);
  } finally {
    time.end();
  }
};

/** The table may fail while the work does not: a run that cannot be recorded is run nevertheless. */
const unlessUnavailable = async <T>({ name }: RunContext, write: () => Promise<T>): Promise<T | undefined> => {
  try {
    // Throws after the response of a request whose time is over.
    writeOptions();
    return await recordInTime(write);
  } catch (error) {
    log.warn('the run of a job could not be recorded', { job: name, error: loggable(error) });
    return undefined;
  }
};

/** Why a run failed, without the message of the error, which may repeat personal data. */
const reasonOf = (error: unknown, requestId: string): string => {
  const { name, code } = loggable(error);
  return `${[name, code].filter((part) => part !== undefined).join(' ')}; see the log of request ${requestId}.`;
};

/** Runs a job and records the run. @throws the error of the run. */
export const recordRun = async <T extends object>(
  context: RunContext,
  run: () => Promise<T>,
): Promise<T & { readonly ran_at: string }> => {
  const { name, requestId, remainingMs, isScheduled } = context;
  const at = now();
  const startedAt = performance.now();
  // A run that is repeated after a failure has the same request.
  const run_id = `${requestId} ${at}`;
  const running = { run_id, started_at: at, until: secondsFromNow(Math.ceil(remainingMs / 1000)) };
  const earlier = await unlessUnavailable(context, () => beginRun(name, running, isScheduled));
  const end = (outcome: Pick<JobRun, 'ok' | 'summary'>) =>
    unlessUnavailable(context, () =>
      endRun(name, run_id, { at, took_ms: Math.round(performance.now() - startedAt), ...outcome }, earlier),
    );
  try {
    const result = await run();
    await end({ ok: true, summary: summaryOf(result) });
    return { ran_at: at, ...result };
  } catch (error) {
    await end({ ok: false, summary: reasonOf(error, requestId) });
    throw error;
  }
};
