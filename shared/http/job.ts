import type { Context } from 'aws-lambda';
import type * as z from 'zod';
import type { Route } from '#contract/route.ts';
import { now } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { loggable, RunFailed } from '#platform/loggable.ts';
import { settings } from '#platform/settings.ts';
import { handle, ok, type RouteHandler } from './handle.ts';
import { jobSecret } from './middleware/job-secret.ts';

type JobRoute = Route & { readonly auth: 'cron'; readonly replies: { readonly 200: z.ZodType<{ data: object }> } };

/** The job's own part of the result; `job` adds the rest. */
type SummaryOf<R extends JobRoute> =
  z.input<R['replies'][200]> extends { data: infer Result } ? Omit<Result, 'job' | 'ran_at'> : never;

/** The event of a schedule. */
interface ScheduledRun {
  /** The id of the job. */
  readonly schedule: string;
}

/** The time budget of a run over HTTP, within the gateway's 29 seconds, in milliseconds. */
const REQUEST_BUDGET_MS = 20_000;
/** The part of the Lambda timeout that a scheduled run reserves for its last step and its log line, in milliseconds. */
const RESERVE_MS = 10_000;

const isRequest = (event: unknown): boolean => typeof event === 'object' && event !== null && 'httpMethod' in event;

/**
 * The Lambda handler of a job, invoked by a schedule, or over HTTP (GET or POST) with the job secret.
 * @param run stops after `budgetMs` milliseconds and leaves the rest to the next run.
 */
export const job = <const R extends JobRoute>(
  { post: route }: { readonly post: R },
  run: (budgetMs: number) => Promise<SummaryOf<R>>,
) => {
  const name = route.path.split('/').at(-1) ?? route.id;
  const execute = async (budgetMs: number) => {
    const ran_at = now();
    return { job: name, ran_at, ...(await run(budgetMs)) };
  };
  const onRequest = handle<Route>(route, async () => ok({ data: await execute(REQUEST_BUDGET_MS) }), [jobSecret]);

  const onSchedule = async (event: unknown, context: Context): Promise<object> => {
    // No secret here: invoking the function directly requires an IAM permission. An event for another job is rejected.
    if ((event as Partial<ScheduledRun> | null)?.schedule !== route.id)
      throw new Error(`The event is not a scheduled run of ${route.id}.`);
    const { feature } = route;
    const logContext = { route: route.id, request_id: context.awsRequestId };
    if (feature && !settings().features[feature]) {
      log.info('skipped: the feature is off', { ...logContext, feature });
      return { job: name, skipped: `The feature ${feature} is off.` };
    }
    try {
      const summary = await execute(Math.max(0, context.getRemainingTimeInMillis() - RESERVE_MS));
      log.info('job', { ...logContext, ...summary });
      return summary;
    } catch (error) {
      log.error('job failed', { ...logContext, error: loggable(error) });
      throw new RunFailed(route.id, error);
    }
  };

  return async (event: unknown, context: Context): Promise<unknown> =>
    isRequest(event)
      ? await onRequest(event as Parameters<RouteHandler>[0], context)
      : await onSchedule(event, context);
};
