import { failure } from './gates/failure.ts';
import { feature } from './gates/feature.ts';
import { headers } from './gates/headers.ts';
import { identity } from './gates/identity.ts';
import { input } from './gates/input.ts';
import { observe } from './gates/observe.ts';
import { once } from './gates/once.ts';
import { permission } from './gates/permission.ts';
import { rate } from './gates/rate.ts';
import { reply } from './gates/reply.ts';

/**
 * The checks of every route in their one order. Gates throw and never return a value: an early return in Middy would
 * skip the outer `after` phases and with them the log line and the headers.
 */
export const gates = { observe, headers, failure, feature, rate, identity, permission, input, once, reply } as const;
