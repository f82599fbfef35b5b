import type { Context } from 'aws-lambda';
import type * as z from 'zod';
import type { Route } from '#contract/route.ts';
import { now } from '#platform/clock.ts';
import { isJobSecret } from '#platform/cron-secret.ts';
import { log } from '#platform/log.ts';
import { loggable, RunFailed } from '#platform/loggable.ts';
import { settings } from '#platform/settings.ts';
import { type Door, handle, ok } from './handle.ts';

/** The routes of a job: what it answers, and when it ran, stands in one place. */
type JobRoute = Route & { readonly auth: 'cron'; readonly replies: { readonly 200: z.ZodType<{ data: object }> } };

/** What a job tells beside its name and the time. */
type ToldBy<R extends JobRoute> =
  z.input<R['replies'][200]> extends { data: infer Told } ? Omit<Told, 'job' | 'ran_at'> : never;

/** What a schedule starts a job with. */
export interface ScheduledRun {
  /** The id of the job. */
  readonly schedule: string;
}

/** What is left of the gateway's 29 seconds for the work, in milliseconds. */
const REQUEST_BUDGET_MS = 20_000;
/** What a scheduled run keeps for its last step and its last word, in milliseconds. */
const RESERVE_MS = 10_000;

const isRequest = (event: unknown): boolean => typeof event === 'object' && event !== null && 'httpMethod' in event;

/**
 * Makes the door of a job: a schedule starts it, or somebody with the secret over HTTP, by either of its methods.
 * @param ports what the work needs from outside, as plain functions.
 * @param run the work. It is given the time after which it leaves the rest to the next run, in milliseconds.
 */
export const runJob = <const R extends JobRoute, Ports>(
  route: R,
  ports: Ports,
  run: (ports: Ports, budgetMs: number) => Promise<ToldBy<R>>,
) => {
  const job = route.path.split('/').at(-1) ?? route.id;
  const told = async (budgetMs: number) => {
    const ran_at = now();
    return { job, ran_at, ...(await run(ports, budgetMs)) };
  };
  const work = async () => ok({ data: await told(REQUEST_BUDGET_MS) });
  const door = handle<Route, object>(route, {}, work, { isJobSecret });

  const scheduled = async (event: unknown, context: Context): Promise<object> => {
    // Who may invoke a function without the gateway may run this job; what names another one has come to the wrong door.
    if ((event as Partial<ScheduledRun> | null)?.schedule !== route.id)
      throw new Error(`This is no run of ${route.id}.`);
    const { feature } = route;
    const said = { route: route.id, request_id: context.awsRequestId };
    if (feature && !settings().features[feature]) {
      log.info('skipped: the feature is off', { ...said, feature });
      return { job, skipped: `The feature ${feature} is off.` };
    }
    try {
      const summary = await told(Math.max(0, context.getRemainingTimeInMillis() - RESERVE_MS));
      log.info('job', { ...said, ...summary });
      return summary;
    } catch (error) {
      log.error('job failed', { ...said, ...loggable(error) });
      throw new RunFailed(route.id, error);
    }
  };

  return async (event: unknown, context: Context): Promise<unknown> =>
    isRequest(event) ? await door(event as Parameters<Door>[0], context) : await scheduled(event, context);
};
