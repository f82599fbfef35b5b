import { expect } from 'vitest';
import type { Job } from '#events/jobs.ts';
import { importHandler } from '#local/handlers.ts';
import { lambdaContext } from '#local/lambda-context.ts';
import { recordingCalls } from './aws-calls.ts';
import type { CallResponse, Client } from './client.ts';
import { dataOf } from './fixtures.ts';

/** The secret of the job routes on a local server. */
export const CRON_SECRET = 'local-cron-secret';

/** The result of a job. */
export interface JobResult {
  readonly job: string;
  readonly ran_at: string;
  readonly processed: number;
  readonly unfinished: boolean;
  readonly [detail: string]: unknown;
}

/** Calls a job over HTTP. */
export const callJob = (
  server: Client,
  job: string,
  { method = 'POST', secret = CRON_SECRET }: { method?: string; secret?: string | null } = {},
): Promise<CallResponse> =>
  server.call(method, `/api/cron/${job}`, secret === null ? {} : { headers: { authorization: `Bearer ${secret}` } });

/** Runs a job over HTTP and fails the test unless it succeeds. */
export const runJob = async (server: Client, job: string): Promise<JobResult> => {
  const response = await callJob(server, job);
  expect(response).toMatchObject({ status: 200 });
  return dataOf<JobResult>(response);
};

/** Runs a job with the event of its schedule. */
export const runOnSchedule = async ({ route, timeoutSeconds }: Job): Promise<unknown> =>
  await (await recordingCalls(importHandler)(route.id))(
    { schedule: route.id },
    lambdaContext(route.id, 'test', timeoutSeconds),
  );
