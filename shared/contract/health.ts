import * as z from 'zod';
import { data } from './fields.ts';
import { defineRoute } from './route.ts';

/** The dependencies that a deep health check queries. */
export const healthParts = ['table', 'bus'] as const;
export type HealthPart = (typeof healthParts)[number];

/** The state of a dependency: `failed` is an error, `timeout` is no response within the time of the check. */
export const PartState = z.enum(['ok', 'failed', 'timeout']);
export type PartState = z.infer<typeof PartState>;

export const PartStates = z.object({ table: PartState, bus: PartState } satisfies Record<HealthPart, z.ZodType>);
export type PartStates = z.infer<typeof PartStates>;

/** The health of the service; after a deep check, with its dependencies. */
export const Health = z
  .object({
    status: z.literal('ok'),
    version: z.string().describe('The version of the service.'),
    stage: z.string().describe('The deployment stage; `local` on one machine.'),
    parts: PartStates.optional().describe('After a deep check: the state of each dependency.'),
    checked_at: z.iso
      .datetime()
      .optional()
      .describe('After a deep check: the time of the check. Results are cached for a few seconds.'),
  })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof Health>;

export const read = defineRoute('health.read', {
  method: 'GET',
  path: '/api/health',
  summary: 'Read the health of the service',
  description:
    'Answers also while the rate counter is unavailable. A deep check is bounded in time and its result is cached for a few seconds.',
  auth: 'public',
  tier: 'general',
  query: z.object({
    deep: z
      .enum(['0', '1'])
      .optional()
      .describe(
        '`1` also checks the table and the bus; 503 names the one that does not respond. On one machine the bus also fails when the data folder cannot be written.',
      ),
  }),
  responses: { 200: data(Health) },
  failures: ['UNHEALTHY'],
  permissions: ['health'],
  cacheSeconds: 0,
  timeoutSeconds: 5,
});
