import middy, { type MiddlewareObj, type PluginExecutionMode } from '@middy/core';
import { executionModeStandard } from '@middy/core/Standard';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { isAudited, type Route } from '#contract/route.ts';
import { inAuditedRequest } from '#platform/audit-context.ts';
import { settings } from '#platform/settings.ts';
import { AppError } from '#shared/errors.ts';
import {
  type Call,
  type GateRequest,
  type GateState,
  header,
  type Idempotency,
  type MultipartBody,
  type Reply,
} from './call.ts';
import { gates } from './gates.ts';
import { visitorSigns } from './visitor.ts';

/** A Lambda handler for requests of the gateway. */
export type Door = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** What a door brings for its gates beside its work. */
export interface DoorOptions<R extends Route = Route> {
  /**
   * Whether this caller may do it to this thing, which the route alone cannot say: asked by the permission gate, before the
   * input is checked. @throws 403, or 404 when he may not even know of it.
   */
  readonly permit?: (asked: Pick<Call<R>, 'params' | 'user'> & { readonly body: unknown }) => Promise<void>;
  /** Reads a multipart body; needed by routes that take one. */
  readonly readMultipart?: (event: APIGatewayProxyEvent) => Promise<MultipartBody>;
  /** Whether a secret is the one that jobs are called with; needed by their routes. */
  readonly isJobSecret?: (presented: string) => Promise<boolean>;
  /** Keeps answers under a key; needed by idempotent routes. */
  readonly idempotency?: Idempotency;
  /** Hands the answer over piece by piece; needed by routes that stream. */
  readonly streaming?: PluginExecutionMode;
}

/** How long before the runtime would end it a request answers that it took too long, in milliseconds. */
const LAST_WORD_MS = 200;

/** More than this of a part of an upload is nothing that anybody would read in a log, in characters. */
const PART_SHOWN_MAX = 4000;

/** Of an upload the log has its words, and of its files how they are called and how large they are. */
const withoutContents = ({ fields, files }: MultipartBody) => ({
  ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.slice(0, PART_SHOWN_MAX)])),
  ...Object.fromEntries(
    Object.entries(files).map(([name, { filename, content }]) => [name, { filename, bytes: content.length }]),
  ),
});

const withoutSecrets = (route: Route, body: unknown): unknown => {
  if (route.bodyKind === 'multipart') return withoutContents(body as MultipartBody);
  const { confidential } = route;
  if (!confidential || typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !confidential.includes(name)));
};

/**
 * Makes the door of a route: the gates in their order around its work.
 * @param ports what the work needs from outside, as plain functions.
 * @param run the work; it is given checked input and answers one of the route's statuses.
 */
export const handle = <const R extends Route, Ports>(
  route: R,
  ports: Ports,
  run: (call: Call<R>, ports: Ports) => Promise<Reply<R>>,
  options: DoorOptions<R> = {},
): Door => {
  const streams = Object.values(route.replies).some((reply) => 'stream' in reply && reply.stream);
  const { streaming } = options;
  if (streams && !streaming) throw new Error(`${route.id} streams, but its door was not given the means.`);
  // The gates share one state per request; the work finds it in the context, the way Middy hands things to a handler.
  const open = {
    before: (request: GateRequest): void => {
      const state: GateState = {
        route,
        // Asked by who needs one: what is wrong with them must be what the function ends with.
        get settings() {
          return settings();
        },
        startedAt: 0,
        requestId: '',
        byCookie: false,
        permit: options.permit as GateState['permit'],
        isJobSecret: options.isJobSecret,
        readMultipart: options.readMultipart,
        idempotency: options.idempotency,
      };
      request.internal.state = state;
      Object.assign(request.context, { state });
    },
  };
  const door = middy({
    executionMode: streaming ?? executionModeStandard,
    timeoutEarlyInMillis: LAST_WORD_MS,
    timeoutEarlyResponse: () => {
      throw new AppError('TIMEOUT');
    },
  })
    .use([open, ...Object.values(gates)] as unknown as MiddlewareObj[])
    .handler(async (event: unknown, context: Context) => {
      const { input, user, address, requestId, running, kept } = (context as Context & { state: GateState }).state;
      // A kept answer needs no work; the reply gate gives it.
      if (kept) return undefined;
      const userAgent = header(event as APIGatewayProxyEvent, 'user-agent');
      const visitor = route.visitor && visitorSigns(event as APIGatewayProxyEvent, address);
      const work = () =>
        run({ ...input, user, requestId, userAgent, visitor, seed: running?.seed } as unknown as Call<R>, ports);
      if (!user || !isAudited(route)) return await work();
      const audited = { actorId: user.id, action: route.id, requestId, input: withoutSecrets(route, input?.body) };
      return await inAuditedRequest({ ...audited, address: user.is_admin ? (address ?? null) : null }, work);
    });
  return door;
};

/** A reply with status 200. */
export const ok = <const B>(body: B, more: { tag?: string; headers?: Record<string, string> } = {}) => ({
  status: 200 as const,
  body,
  ...more,
});

/** A reply with status 201. */
export const created = <const B>(body: B, more: { tag?: string; headers?: Record<string, string> } = {}) => ({
  status: 201 as const,
  body,
  ...more,
});

/** A reply with status 202. */
export const accepted = <const B>(body: B) => ({ status: 202 as const, body });
