import { requestRun } from '#data/jobs.ts';
import { newMessage } from '#events/catalogue.ts';
import { type Job, jobs } from '#events/jobs.ts';
import { jobNameOf } from '#model/job.ts';
import { secondsFromNow } from '#platform/clock.ts';
import { conflict, notFound } from '#shared/errors.ts';
import { isAvailable } from './states.ts';

/** The time between a request and the beginning of its run, at most, in seconds. */
const START_SECONDS = 60;

/**
 * Requests a run of a job, which begins in the background: the outbox starts it, so it begins also if this process dies.
 * @throws 404; 409 while a run is in progress, or while the feature of the job is off.
 */
export const requestJob = async (name: string, actorId: string): Promise<{ name: string; requested_at: string }> => {
  const job = (jobs as readonly Job[]).find(({ route }) => jobNameOf(route) === name);
  if (!job) throw notFound();
  if (!isAvailable(job)) throw conflict('INVALID_TRANSITION', 'The feature of the job is off.');
  const message = newMessage('jobDue', actorId, { job: name });
  const started_at = message.occurred_at;
  const running = { run_id: message.id, started_at, until: secondsFromNow(START_SECONDS + job.timeoutSeconds) };
  await requestRun(name, running, secondsFromNow(0), message);
  return { name, requested_at: started_at };
};
