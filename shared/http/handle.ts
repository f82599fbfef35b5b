import type { MiddlewareObj } from '@middy/core';
import middy from '@middy/core';
import { executionModeStandard } from '@middy/core/Standard';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { isAudited, type Route } from '#contract/route.ts';
import type { VisitorSignals } from '#model/analytics.ts';
import { hasAdminRights } from '#model/policy.ts';
import { inAuditedRequest } from '#platform/audit-context.ts';
import { type Environment, environment } from '#platform/environment.ts';
import { type RunningRequestTime, startRequestTime } from '#platform/time-limit.ts';
import {
  type Call,
  header,
  type MiddlewareRequest,
  type MultipartBody,
  type RequestState,
  type RouteResponse,
  type StreamResponse,
} from './call.ts';
import { bucketOf } from './client-address.ts';
import type { Authorization } from './middleware/authorize.ts';
import { orderedMiddleware, type Phases, type RouteMiddleware } from './middleware.ts';
import { refreshTokenOf } from './session-cookies.ts';

export type RouteHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** The margin before the timeout of the function or the gateway at which a request fails with 504, in milliseconds. */
const TIMEOUT_EARLY_MS = 200;
/** How long API Gateway waits for the beginning of a response, in milliseconds. */
const GATEWAY_TIMEOUT_MS = 29_000;

/** When a phase that follows an error takes too long, the response is the one to the timeout. */
const respondInTime = async (request: MiddlewareRequest, phase: Promise<void>): Promise<void> => {
  try {
    await phase;
  } catch (error) {
    if (!request.internal.state.time.signal.aborted) throw error;
    request.error = error as Error;
  }
};

/** Runs every phase in the time of the request: a call in any of them may take too long. */
const inRequestTime = ({ before, after, onError }: Phases): Phases => ({
  ...(before && { before: (request) => request.internal.state.time.run(() => before(request)) }),
  ...(after && { after: (request) => request.internal.state.time.run(() => after(request)) }),
  ...(onError && {
    onError: (request) => {
      const ending = request.internal.state.time.run(() => onError(request));
      return ending instanceof Promise ? respondInTime(request, ending) : ending;
    },
  }),
});

/** A class, because a getter in an object literal would give each request a hidden class of its own. */
class InitialState implements RequestState {
  readonly route: Route;
  readonly time: RunningRequestTime;
  startedAt = 0;
  requestId = '';
  byCookie = false;

  constructor(route: Route, time: RunningRequestTime) {
    this.route = route;
    this.time = time;
  }

  /** Lazy: an invalid environment must surface as the error of the invocation. */
  get environment(): Environment {
    return environment();
  }
}

/** The fields of an upload, and the names and sizes of its files. */
const auditedUpload = ({ fields, files }: MultipartBody) => ({
  ...Object.fromEntries(Object.entries(fields).map(([name, content]) => [name, content.toString()])),
  ...Object.fromEntries(
    Object.entries(files).map(([name, { filename, content }]) => [name, { filename, bytes: content.length }]),
  ),
});

/** The body for the audit log, without the route's confidential fields. */
const auditedBody = (route: Route, body: unknown): unknown => {
  if (route.bodyKind === 'multipart') return auditedUpload(body as MultipartBody);
  const { confidential } = route;
  if (!confidential || typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !confidential.includes(name)));
};

/** The signals that analytics derives a visitor from. @param address the verified client address. */
const visitorSignals = (event: APIGatewayProxyEvent, address: string | undefined): VisitorSignals => ({
  network: address === undefined ? undefined : bucketOf(address),
  userAgent: header(event, 'user-agent'),
  country: header(event, 'cloudfront-viewer-country'),
  site: URL.parse(header(event, 'origin') ?? '')?.hostname,
  optsOut: header(event, 'sec-gpc')?.trim() === '1' || header(event, 'dnt')?.trim() === '1',
});

/**
 * The Lambda handler of a route.
 * @param run takes validated input and returns one of the route's statuses.
 * @param routeMiddleware what the contract requires (`idempotent`, multipart bodies, streamed responses) and `authorize`.
 * @throws Error at load when the contract requires middleware that is missing.
 */
export const handle = <const R extends Route>(
  route: R,
  run: (call: Call<R>) => Promise<RouteResponse<R>>,
  routeMiddleware: readonly (RouteMiddleware | Authorization<R>)[] = [],
): RouteHandler => {
  const ordered = orderedMiddleware(route, routeMiddleware);
  const executionMode = routeMiddleware.find((one) => one.executionMode)?.executionMode ?? executionModeStandard;
  // The functions of jobs and of streamed responses may run longer than the gateway waits.
  const mayOutlastGateway = route.auth === 'cron' || executionMode !== executionModeStandard;
  const timeLimitMs = (context: Context): number => {
    const remainingMs = context.getRemainingTimeInMillis();
    return (mayOutlastGateway ? Math.min(remainingMs, GATEWAY_TIMEOUT_MS) : remainingMs) - TIMEOUT_EARLY_MS;
  };
  // Middleware shares one state per request. Middy passes only event and context to the handler, so it is in both.
  const createState: Phases = {
    before: (request: MiddlewareRequest): void => {
      const state = new InitialState(route, startRequestTime(timeLimitMs(request.context)));
      request.internal.state = state;
      Object.assign(request.context, { state });
    },
    // After all other middleware.
    after: ({ internal }) => internal.state.time.end(),
    onError: ({ internal }) => internal.state.time.end(),
  };
  const wrapped = middy({
    executionMode,
    // Middy's own limit covers the handler only, and nothing of the middleware.
    timeoutEarlyInMillis: 0,
  })
    .use([createState, ...(ordered as Phases[]).map(inRequestTime)] as unknown as MiddlewareObj[])
    .handler(async (event: unknown, context: Context) => {
      const { state } = context as Context & { state: RequestState };
      const { input, user, address, requestId, runningRequest, time } = state;
      // The response middleware returns the stored response.
      if (state.storedResponse) return undefined;
      const userAgent = header(event as APIGatewayProxyEvent, 'user-agent');
      const visitor = route.visitor && visitorSignals(event as APIGatewayProxyEvent, address);
      const call = {
        ...input,
        user,
        requestId,
        resource: (event as APIGatewayProxyEvent).resource,
        path: (event as APIGatewayProxyEvent).path,
        header: (name: string) => header(event as APIGatewayProxyEvent, name),
        userAgent,
        visitor,
        session: route.session && { refreshToken: refreshTokenOf({ event: event as APIGatewayProxyEvent }) },
        seed: runningRequest?.seed,
        remainingMs: time.remainingMs,
      };
      const execute = async () => await time.run(() => run(call as unknown as Call<R>));
      if (!user || !isAudited(route)) return await execute();
      const isAddressKept = hasAdminRights(user) || user.scopes !== undefined;
      const audited = {
        actorId: user.id,
        actorName: user.scopes ? user.name : null,
        action: route.id,
        requestId,
        address: isAddressKept ? (address ?? null) : null,
        input: auditedBody(route, input?.body),
      };
      return await inAuditedRequest(audited, execute);
    });
  return wrapped;
};

type More = Pick<StreamResponse, 'version' | 'headers' | 'cookies'>;

export const ok = <const B>(body: B, more: More = {}) => ({ status: 200 as const, body, ...more });

export const created = <const B>(body: B, more: More = {}) => ({ status: 201 as const, body, ...more });

export const accepted = <const B>(body: B) => ({ status: 202 as const, body });

/** A page without scripts and external resources; its forms post to this origin. */
export const htmlPage = (text: string) => ({
  status: 200 as const,
  text,
  headers: {
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  },
});

/** A reply with status 200 that browsers save as a file. @param filename of ASCII characters without quotes. */
export const download = (filename: string, stream: AsyncIterable<string>) => ({
  status: 200 as const,
  stream,
  headers: { 'content-disposition': `attachment; filename="${filename}"` },
});
