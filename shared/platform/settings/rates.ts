import * as z from 'zod';
import { type Tier, tiers } from '#contract/route.ts';
import { byName, perName } from './per-name.ts';

/** How many requests one client address has per window. */
export interface RateTier {
  readonly count: number;
  readonly windowSeconds: number;
}

const defaultTiers: Record<Tier, string> = {
  general: '600/60',
  voting: '60/60',
  auth: '20/60',
  submission: '30/600',
  admin: '300/60',
  analytics: '600/60',
  comments: '30/60',
};

const rate = z
  .string()
  .regex(/^\d{1,9}\/\d{1,6}$/, { error: 'must be count/seconds, such as 600/60' })
  .transform((value): RateTier => {
    const [count, windowSeconds] = value.split('/').map(Number) as [number, number];
    return { count, windowSeconds };
  })
  .refine((tier) => tier.windowSeconds > 0, { error: 'must have a window of at least one second' });

/** The variables of the rate tiers. */
export const rateVariables = perName('RATE_LIMIT', tiers, (tier) => rate.prefault(defaultTiers[tier]));

/** The rate tiers that they set. */
export const ratesOf = (variables: z.output<z.ZodObject<typeof rateVariables>>): Readonly<Record<Tier, RateTier>> =>
  byName('RATE_LIMIT', tiers, variables);
