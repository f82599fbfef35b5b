import * as z from 'zod';
import { data } from './envelope.ts';
import { defineRoute } from './route.ts';

/** What the service cannot do its work without, and what a deep check asks. */
export const healthParts = ['table', 'bus'] as const;
export type HealthPart = (typeof healthParts)[number];

/** What a part has said: `failed` is an error, `timeout` is no answer in the time that a check has. */
export const PartState = z.enum(['ok', 'failed', 'timeout']);
export type PartState = z.infer<typeof PartState>;

/** Every part with what it has said. */
export const PartStates = z.object({ table: PartState, bus: PartState } satisfies Record<HealthPart, z.ZodType>);
export type PartStates = z.infer<typeof PartStates>;

/** A service that is alive; after a deep check, one whose parts answer as well. */
export const Health = z
  .object({
    status: z.literal('ok'),
    version: z.string().describe('The version of the service.'),
    stage: z.string().describe('Which deployment answers; `local` on one machine.'),
    parts: PartStates.optional().describe('After a deep check: what each part has said.'),
    checked_at: z.iso
      .datetime()
      .optional()
      .describe('After a deep check: when the parts were asked. Its result stands for a few seconds.'),
  })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof Health>;

export const read = defineRoute('health.read', {
  method: 'GET',
  path: '/api/health',
  summary: 'Ask whether the service is alive',
  description:
    'Never limited per caller: the counters stand in the table, and the answer must not depend on it. A deep check is bounded in time and its result is given again for a few seconds.',
  auth: 'public',
  tier: 'none',
  query: z.object({
    deep: z
      .enum(['0', '1'])
      .optional()
      .describe('`1` also asks the table and the bus; 503 says which of them does not answer.'),
  }),
  replies: { 200: data(Health) },
  failures: ['UNHEALTHY'],
  needs: ['health'],
  cacheSeconds: 0,
  timeoutSeconds: 5,
});
