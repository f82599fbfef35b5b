import { expect } from 'vitest';
import type { Job } from '#events/jobs.ts';
import { importDoor } from '#local/doors.ts';
import { lambdaContext } from '#local/lambda-context.ts';
import { watched } from './aws-calls.ts';
import type { CallAnswer } from './client.ts';
import { dataOf } from './fixtures.ts';
import type { TestWorld } from './world.ts';

/** What jobs are called with on one machine. */
export const SECRET = 'local-cron-secret';

/** What a run tells about itself. */
export interface Told {
  readonly job: string;
  readonly ran_at: string;
  readonly processed: number;
  readonly unfinished: boolean;
  readonly [more: string]: unknown;
}

/** Calls a job over HTTP. */
export const callJob = (
  world: TestWorld,
  job: string,
  { method = 'POST', secret = SECRET }: { method?: string; secret?: string | null } = {},
): Promise<CallAnswer> =>
  world.call(method, `/api/cron/${job}`, secret === null ? {} : { headers: { authorization: `Bearer ${secret}` } });

/** Runs a job over HTTP, which has to work. */
export const ranJob = async (world: TestWorld, job: string): Promise<Told> => {
  const answer = await callJob(world, job);
  expect(answer).toMatchObject({ status: 200 });
  return dataOf<Told>(answer);
};

/** Runs a job as its schedule does. */
export const scheduled = async ({ route, timeoutSeconds }: Job): Promise<unknown> =>
  await (await watched(importDoor)(route.id))({ schedule: route.id }, lambdaContext(route.id, 'test', timeoutSeconds));
