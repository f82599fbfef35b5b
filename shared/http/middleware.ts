import type { MiddlewareObj, PluginExecutionMode } from '@middy/core';
import type { Route } from '#contract/route.ts';
import type { MiddlewareRequest } from './call.ts';
import { failure } from './middleware/failure.ts';
import { headers } from './middleware/headers.ts';
import { identity } from './middleware/identity.ts';
import { input } from './middleware/input.ts';
import { acceptJson, parseJson } from './middleware/json-body.ts';
import { observe } from './middleware/observe.ts';
import { feature, permission } from './middleware/permission.ts';
import { rate } from './middleware/rate.ts';
import { response } from './middleware/response.ts';

/**
 * The middleware of every route in its fixed order; a JSON body is parsed directly before `input`. Middleware throws and never
 * returns a value: an early return in Middy would skip the outer `after` phases and with them the log line and the headers.
 */
export const middleware = {
  observe,
  headers,
  failure,
  feature,
  rate,
  identity,
  permission,
  input,
  response,
} as const;

type Phase = (request: MiddlewareRequest) => void | Promise<void>;

export interface Phases {
  readonly before?: Phase;
  readonly after?: Phase;
  readonly onError?: Phase;
}

/** Middleware that a handler passes to `handle` because its route needs it. */
export interface RouteMiddleware extends Phases {
  readonly name:
    | 'authorize'
    | 'errorPage'
    | 'idempotency'
    | 'jobSecret'
    | 'multipart'
    | 'ownOrigin'
    | 'secondTier'
    | 'streaming';
  /** The standard middleware that it directly follows. Several with the same value keep the order of `handle`. */
  readonly runsAfter: keyof typeof middleware;
  /** Replaces Middy's way of returning the response. */
  readonly executionMode?: PluginExecutionMode;
}

const requiredBy = (route: Route): RouteMiddleware['name'][] => {
  const names: RouteMiddleware['name'][] = [];
  if (route.auth === 'cron') names.push('jobSecret');
  // Without it the errors of the input would come before the 404 of what the path names.
  const hasInput = route.body !== undefined || route.query !== undefined || route.bodyKind === 'multipart';
  if (route.path.includes('{') && hasInput) names.push('authorize');
  if (route.errorPages) names.push('errorPage');
  if (route.bodyKind === 'multipart') names.push('multipart');
  if (route.ownOrigin) names.push('ownOrigin');
  if (route.secondTier) names.push('secondTier');
  if (route.idempotent) names.push('idempotency');
  if (Object.values(route.responses).some((schema) => 'stream' in schema && schema.stream)) names.push('streaming');
  return names;
};

/**
 * The whole middleware of a route in order.
 * @throws Error when the contract requires middleware that is not passed, or does not declare what is passed.
 */
export const orderedMiddleware = (route: Route, passed: readonly RouteMiddleware[]): MiddlewareObj[] => {
  const names = passed.map(({ name }) => name);
  const required = requiredBy(route);
  const missing = required.filter((name) => !names.includes(name));
  if (missing.length > 0) throw new Error(`${route.id} requires the middleware ${missing.join(', ')}.`);
  const undeclared = names.filter((name) => name !== 'authorize' && !required.includes(name));
  if (undeclared.length > 0) throw new Error(`The contract of ${route.id} does not declare ${undeclared.join(', ')}.`);
  const parsesJson = route.body !== undefined && route.auth !== 'signature' && route.bodyKind !== 'multipart';
  return Object.entries(middleware).flatMap(([name, standard]) => [
    ...(name === 'input' && parsesJson ? [acceptJson, parseJson] : []),
    standard,
    ...passed.filter(({ runsAfter }) => runsAfter === name),
  ]) as MiddlewareObj[];
};
