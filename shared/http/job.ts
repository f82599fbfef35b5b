import type { Context } from 'aws-lambda';
import type * as z from 'zod';
import type { Route } from '#contract/route.ts';
import { jobNameOf } from '#model/job.ts';
import { environment } from '#platform/environment.ts';
import { log, loggable, RunFailed } from '#platform/log.ts';
import { isJobSecret } from '#platform/ssm.ts';
import { jobInMessage, recordRun } from '#services/jobs/record.ts';
import { unauthorized } from '#shared/errors.ts';
import { header, type MiddlewareRequest } from './call.ts';
import { handle, ok, type RouteHandler } from './handle.ts';
import type { RouteMiddleware } from './middleware.ts';

type JobRoute = Route & { readonly auth: 'cron'; readonly responses: { readonly 200: z.ZodType<{ data: object }> } };

/** The job's own part of the result; `job` adds the rest. */
type SummaryOf<R extends JobRoute> =
  z.input<R['responses'][200]> extends { data: infer Result } ? Omit<Result, 'job' | 'ran_at'> : never;

interface ScheduledRun {
  /** The id of the job. */
  readonly schedule: string;
}

/** The event of a run that an administrator has requested, as the bus delivers it. */
interface RequestedRun {
  readonly 'detail-type': 'jobDue';
  readonly detail: unknown;
}

/**
 * The time budget of a run over HTTP, in milliseconds. The rest of the gateway's 29 seconds is for its last step and for both writes
 * of its record, which take longer while the table is throttled.
 */
const REQUEST_BUDGET_MS = 15_000;
/** The part of the Lambda timeout that a run reserves for its last step and its log line, in milliseconds. */
const RESERVE_MS = 10_000;

const hasMember = (event: unknown, name: string): boolean =>
  typeof event === 'object' && event !== null && name in event;
const isRequest = (event: unknown): boolean => hasMember(event, 'httpMethod');
const isRequestedRun = (event: unknown): event is RequestedRun =>
  hasMember(event, 'detail') && (event as Partial<RequestedRun>)['detail-type'] === 'jobDue';

/** Admits only callers of a job's route that present the shared secret as a bearer token; 401 for all others. */
export const jobSecret: RouteMiddleware = {
  name: 'jobSecret',
  runsAfter: 'identity',
  before: async ({ event }: MiddlewareRequest): Promise<void> => {
    const presented = /^bearer +(\S.*)$/i.exec(header(event, 'authorization') ?? '')?.[1];
    if (presented === undefined || !(await isJobSecret(presented))) throw unauthorized();
  },
};

/**
 * The Lambda handler of a job, invoked by a schedule, by the bus when an administrator has requested a run, or over HTTP
 * (GET or POST) with the job secret. Each run is recorded.
 * @param run stops after `budgetMs` milliseconds and leaves the rest to the next run.
 */
export const job = <const R extends JobRoute>(
  { post: route }: { readonly post: R },
  run: (budgetMs: number) => Promise<SummaryOf<R>>,
) => {
  const name = jobNameOf(route);
  const execute = async (
    origin: { readonly requestId: string; readonly remainingMs: number; readonly isScheduled: boolean },
    budgetMs: number,
  ) => ({ job: name, ...(await recordRun({ name, ...origin }, () => run(budgetMs))) });

  const onRequest = handle<Route>(
    route,
    async ({ requestId, remainingMs }) =>
      ok({ data: await execute({ requestId, remainingMs: remainingMs(), isScheduled: false }, REQUEST_BUDGET_MS) }),
    [jobSecret],
  );

  const invoke = async (context: Context, isScheduled: boolean): Promise<object> => {
    const { feature } = route;
    const requestId = context.awsRequestId;
    const logContext = { route: route.id, request_id: requestId };
    if (feature && !environment().features[feature]) {
      log.info('skipped: the feature is off', { ...logContext, feature });
      return { job: name, skipped: `The feature ${feature} is off.` };
    }
    const remainingMs = context.getRemainingTimeInMillis();
    try {
      const summary = await execute({ requestId, remainingMs, isScheduled }, Math.max(0, remainingMs - RESERVE_MS));
      log.info('job', { ...logContext, ...summary });
      return summary;
    } catch (error) {
      log.error('job failed', { ...logContext, error: loggable(error) });
      throw new RunFailed(route.id, error);
    }
  };

  const onSchedule = async (event: unknown, context: Context): Promise<object> => {
    // No secret here: invoking the function directly requires an IAM permission. An event for another job is rejected.
    if ((event as Partial<ScheduledRun> | null)?.schedule !== route.id)
      throw new Error(`The event is not a scheduled run of ${route.id}.`);
    return await invoke(context, true);
  };

  const onRequestedRun = async ({ detail }: RequestedRun, context: Context): Promise<object> => {
    if (jobInMessage(detail) !== name) throw new Error(`The event is not a requested run of ${route.id}.`);
    try {
      return await invoke(context, false);
    } catch (error) {
      // Not repeated by the bus: its outcome is recorded for the administrator, and the schedule follows.
      return { job: name, failed: (error as Error).message };
    }
  };

  return async (event: unknown, context: Context): Promise<unknown> => {
    if (isRequest(event)) return await onRequest(event as Parameters<RouteHandler>[0], context);
    return isRequestedRun(event) ? await onRequestedRun(event, context) : await onSchedule(event, context);
  };
};
