import { PassThrough, pipeline, type Writable } from 'node:stream';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DEFAULT_TIMEOUT_SECONDS, type Route } from '#contract/route.ts';
import { log } from '#platform/log.ts';
import { TimeLimitExceeded, withTimeLimit } from '#platform/time-limit.ts';
import { AppError } from '#shared/errors.ts';
import type { LambdaHandler } from './handlers.ts';
import { errorResponse, type HttpResponse, sendResponse } from './http-response.ts';
import { lambdaContext } from './lambda-context.ts';
import { isStreaming, type ResponseStream, type StreamHead, type StreamingHandler } from './lambda-streaming.ts';
import { proxyEvent } from './proxy-event.ts';

/** API Gateway's own limit, whatever the timeout of the function. */
const GATEWAY_TIMEOUT_SECONDS = 29;

const gatewayTimeoutSeconds = ({ timeoutSeconds = DEFAULT_TIMEOUT_SECONDS }: Route, factor: number): number =>
  Math.min(timeoutSeconds, GATEWAY_TIMEOUT_SECONDS) * factor;

const responseOf = (result: unknown): HttpResponse => {
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = (result ??
    {}) as Partial<APIGatewayProxyResult>;
  if (!Number.isInteger(statusCode)) throw new Error('The handler returned no API Gateway proxy result.');
  const all: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers ?? {})) all[name.toLowerCase()] = String(value);
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) all[name.toLowerCase()] = values.map(String);
  return {
    status: Number(statusCode),
    headers: all,
    body: isBase64Encoded ? Buffer.from(body ?? '', 'base64') : (body ?? ''),
  };
};

/** The response stream of a Lambda handler. The client's reading speed limits how fast the handler can write. */
const responseStream = (reply: FastifyReply, onBegin: () => void): ResponseStream => {
  const begin = ({ statusCode = 200, headers = {} }: StreamHead): Writable => {
    onBegin();
    const all: Record<string, string> = {};
    for (const [name, value] of Object.entries(headers)) all[name.toLowerCase()] = value;
    const body = new PassThrough();
    reply.hijack();
    reply.raw.writeHead(statusCode, all);
    pipeline(body, reply.raw, (error) => {
      // Clients may disconnect; the handler gets the error from its own end of the stream.
      if (error) log.info('a streamed response ended early', { error });
    });
    return body;
  };
  return Object.assign(new PassThrough(), { begin });
};

const invokeStreaming = async (
  handler: StreamingHandler,
  event: ReturnType<typeof proxyEvent>,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  timeoutFactor: number,
): Promise<void> => {
  const seconds = (route.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * timeoutFactor;
  const context = lambdaContext(route.id, request.id, seconds);
  try {
    const begun = Promise.withResolvers<void>();
    const running = handler(event, responseStream(reply, begun.resolve), context);
    // The gateway's timeout applies until the response begins; the function's own timeout covers the rest.
    const limitMs = gatewayTimeoutSeconds(route, timeoutFactor) * 1000;
    await withTimeLimit(limitMs, () => Promise.race([running, begun.promise]));
    await running;
  } catch (error) {
    if (!reply.raw.headersSent) throw error;
    // Part of the body has been sent: only an aborted connection shows the client that it is incomplete.
    reply.raw.destroy();
    log.error('a streamed response failed after it began', { route: route.id, error: error as Error });
  }
};

/**
 * Invokes the function of a route and sends its result, with the timeouts and errors of API Gateway.
 * @param timeoutFactor multiplies the timeouts; more than 1 for slow or busy machines.
 */
export const invokeRoute = async (
  route: Route,
  load: () => Promise<LambdaHandler>,
  body: Buffer,
  request: FastifyRequest,
  reply: FastifyReply,
  timeoutFactor: number,
): Promise<void> => {
  const { id: requestId, raw } = request;
  try {
    const handler = await load();
    const event = proxyEvent({ body, request: raw, requestId, resource: route.path });
    if (isStreaming(handler)) {
      await invokeStreaming(handler, event, route, request, reply, timeoutFactor);
      return;
    }
    const seconds = gatewayTimeoutSeconds(route, timeoutFactor);
    const context = lambdaContext(route.id, requestId, seconds);
    const result = await withTimeLimit(seconds * 1000, () => handler(event, context));
    await sendResponse(request, reply, responseOf(result));
  } catch (error) {
    log.error('the function failed', { route: route.id, request_id: requestId, error: error as Error });
    const appError =
      error instanceof TimeLimitExceeded
        ? new AppError('TIMEOUT')
        : new AppError('INTERNAL', { request_id: requestId });
    await sendResponse(request, reply, errorResponse(appError, requestId, raw.headers.origin));
  }
};
