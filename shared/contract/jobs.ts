import * as z from 'zod';
import { data, Timestamp } from './fields.ts';
import { defineRoute } from './route.ts';

/** A scheduled job as visible to administrators. */
export const Job = z
  .object({
    name: z.string().describe('As in the path, such as `purge-deleted`.'),
    schedule: z.string().describe('A schedule expression of EventBridge Scheduler, in UTC.'),
    last_run: z
      .object({
        at: Timestamp.describe('The start of the run.'),
        took_ms: z.int().min(0),
        ok: z.boolean(),
        summary: z.string().describe('What the run did, or why it failed.'),
      })
      .nullable()
      .describe('By its schedule, by an administrator or with the job secret; null before the first run.'),
    next_run_at: Timestamp.nullable().describe(
      'The time of the next run by the schedule, up to the deviation that the scheduler allows itself; null unless the job is enabled, and for a rate before the first run.',
    ),
    is_enabled: z.boolean().describe('Whether the job is scheduled here and its feature is on.'),
    is_running: z.boolean().describe('Whether a run is in progress or requested.'),
  })
  .meta({ id: 'Job' });
export type Job = z.infer<typeof Job>;

// No scope of an API key covers jobs.
const common = { auth: 'admin', tier: 'admin', scopes: [], moderators: false } as const;

export const list = defineRoute('jobs.list', {
  ...common,
  method: 'GET',
  path: '/api/admin/jobs',
  summary: 'List the scheduled jobs',
  description: 'By name, each with its last run. A run that was interrupted counts as failed.',
  replies: { 200: data(z.array(Job)) },
  permissions: ['table:query'],
});

export const run = defineRoute('jobs.run', {
  ...common,
  method: 'POST',
  path: '/api/admin/jobs/{job}/run',
  summary: 'Run a job',
  description:
    'Responds at once; the job runs in the background and its outcome is its `last_run`. 409 `IN_PROGRESS` while a run is in progress, and `INVALID_TRANSITION` while the feature of the job is off.',
  replies: { 202: data(z.object({ name: z.string(), requested_at: Timestamp }).meta({ id: 'RequestedRun' })) },
  failures: ['NOT_FOUND', 'IN_PROGRESS', 'INVALID_TRANSITION'],
  permissions: ['table:write'],
});
