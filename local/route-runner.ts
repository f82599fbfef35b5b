import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, pipeline, type Writable } from 'node:stream';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Route } from '#contract/route.ts';
import { log } from '#platform/log.ts';
import { AppError } from '#shared/errors.ts';
import { type Answer, alsoVaries, failureAnswer, send } from './answer.ts';
import { chooseEncoding, compressor, isCompressible } from './compression.ts';
import type { LambdaHandler } from './doors.ts';
import { inTime } from './in-time.ts';
import { lambdaContext } from './lambda-context.ts';
import { isStreaming, type ResponseStream, type StreamHead, type StreamingHandler } from './lambda-streaming.ts';
import { proxyEvent, type RoutedRequest } from './proxy-event.ts';

const TIMEOUT_SECONDS = 10;
/** When the gateway ends a request, whatever its function may take. */
const GATEWAY_TIMEOUT_SECONDS = 29;

/** How long the gateway waits for the function of a route. */
const secondsOf = ({ timeoutSeconds = TIMEOUT_SECONDS }: Route): number =>
  Math.min(timeoutSeconds, GATEWAY_TIMEOUT_SECONDS);

const answerOf = (result: unknown): Answer => {
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = (result ??
    {}) as Partial<APIGatewayProxyResult>;
  if (!Number.isInteger(statusCode)) throw new Error('The handler answered in a form that the gateway does not take.');
  const all: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers ?? {})) all[name.toLowerCase()] = String(value);
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) all[name.toLowerCase()] = values.map(String);
  return {
    status: Number(statusCode),
    headers: all,
    body: isBase64Encoded ? Buffer.from(body ?? '', 'base64') : (body ?? ''),
  };
};

/** A stream for a handler that sends its head first and its body piece by piece, as fast as the caller reads. */
const responseStream = (request: IncomingMessage, response: ServerResponse, onBegin: () => void): ResponseStream => {
  const begin = ({ statusCode = 200, headers = {} }: StreamHead): Writable => {
    onBegin();
    const all: Record<string, string> = {};
    for (const [name, value] of Object.entries(headers)) all[name.toLowerCase()] = value;
    const body = new PassThrough();
    const compressible = isCompressible(all['content-type']);
    if (compressible) all.vary = alsoVaries(all.vary, 'Accept-Encoding');
    const encoding = compressible ? chooseEncoding(request.headers['accept-encoding']?.toString()) : undefined;
    const stages = encoding ? [body, compressor(encoding), response] : [body, response];
    response.writeHead(statusCode, encoding ? { ...all, 'content-encoding': encoding } : all);
    pipeline(stages, (error) => {
      // A caller who goes away in the middle is nothing unusual; the handler learns it from its own end of the stream.
      if (error) log.info('a streamed answer ended early', { error });
    });
    return body;
  };
  return Object.assign(new PassThrough(), { begin });
};

const runStreaming = async (
  handler: StreamingHandler,
  routed: RoutedRequest,
  response: ServerResponse,
  route: Route,
) => {
  const context = lambdaContext(route.id, routed.requestId, route.timeoutSeconds ?? TIMEOUT_SECONDS);
  try {
    const begun = Promise.withResolvers<void>();
    const running = handler(proxyEvent(routed), responseStream(routed.request, response, begun.resolve), context);
    // The gateway waits for a beginning as long as for a whole answer; what a late handler comes to is of no use.
    await inTime(Promise.race([running, begun.promise]), secondsOf(route), () => new AppError('TIMEOUT'));
    await running;
  } catch (error) {
    if (!response.headersSent) throw error;
    // Part of the answer is out: only an aborted connection tells the caller that the rest is missing.
    response.destroy();
    log.error('a streamed answer could not be finished', { route: route.id, error: error as Error });
  }
};

/** Runs the function of a route and sends what it answers, the way the gateway does. */
export const runRoute = async (
  route: Route,
  load: () => Promise<LambdaHandler>,
  routed: RoutedRequest,
  response: ServerResponse,
): Promise<void> => {
  const { request, requestId } = routed;
  try {
    const handler = await load();
    if (isStreaming(handler)) {
      await runStreaming(handler, routed, response, route);
      return;
    }
    const seconds = secondsOf(route);
    const result = await inTime(
      handler(proxyEvent(routed), lambdaContext(route.id, requestId, seconds)),
      seconds,
      () => new AppError('TIMEOUT'),
    );
    await send(request, response, answerOf(result));
  } catch (error) {
    const known = error instanceof AppError && error.code === 'TIMEOUT' ? error : undefined;
    log.error('the function failed', { route: route.id, request_id: requestId, error: error as Error });
    const failure = known ?? new AppError('INTERNAL', { request_id: requestId });
    await send(request, response, failureAnswer(failure, requestId, request.headers.origin));
  }
};
