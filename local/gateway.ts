import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Method, Route } from '#contract/route.ts';
import { doorIdOf } from '#contract/table.ts';
import { corsHeaders, preflightHeaders } from '#http/cors.ts';
import { log } from '#platform/log.ts';
import { settings } from '#platform/settings.ts';
import { AppError, notFound, payloadTooLarge } from '#shared/errors.ts';
import { failureAnswer, send } from './answer.ts';
import { BodyTooLarge, readBody } from './body.ts';
import type { ImportDoor } from './doors.ts';
import { closeServer, listenOnLoopback, listenOnSecondLoopback } from './listening.ts';
import type { LocalRoute } from './local-route.ts';
import { answerMalformed } from './malformed.ts';
import { runRoute } from './route-runner.ts';
import { type Exchange, makeRouter, type Placed, splitAddress, type Target, type Targets } from './router.ts';

/** What the gateway serves. */
export interface GatewayOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly importDoor: ImportDoor;
  /** Asked once, when everything is ready. */
  readonly localRoutes: () => readonly LocalRoute[];
  /** Requests wait for this. */
  readonly ready: Promise<void>;
}

/** The HTTP server in front of the handlers. */
export interface Gateway {
  readonly port: number;
  /** Takes no new requests; running ones have a few seconds to end. */
  stop(): Promise<void>;
}

/** The largest request that the gateway takes, in bytes. */
const REQUEST_BYTES_MAX = 10 * 1024 * 1024;
const LOCAL_BYTES_MAX = 64 * 1024;
/** How long a caller who sends too much may go on sending before the connection is cut: else he never reads the answer. */
const LINGER_MS = 1000;

/**
 * Whether a name in `Host` is this machine's. A page elsewhere can have its own name point here; what the local parts
 * give away, such as tokens, must not be readable under it.
 */
const isLoopbackName = (host: string | undefined): boolean =>
  /^(?:localhost|[\w.-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host ?? '');

const refuseLarge = async ({ request, response, requestId }: Exchange, limit: number): Promise<void> => {
  const answer = failureAnswer(payloadTooLarge(limit), requestId, request.headers.origin);
  await send(request, response, { ...answer, headers: { ...answer.headers, connection: 'close' } });
  request.resume();
  setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
};

/** Answers what went wrong before a handler could. */
const answerFailure = async (exchange: Exchange, error: unknown): Promise<void> => {
  const { request, response, requestId, path } = exchange;
  if (error instanceof BodyTooLarge) {
    await refuseLarge(exchange, path.startsWith('/api/') ? REQUEST_BYTES_MAX : LOCAL_BYTES_MAX);
    return;
  }
  if (!(error instanceof AppError)) log.error('the local gateway failed', { path, error: error as Error });
  const failure = error instanceof AppError ? error : new AppError('INTERNAL', { request_id: requestId });
  await send(request, response, failureAnswer(failure, requestId, request.headers.origin));
};

const apiTarget =
  (route: Route, importDoor: ImportDoor): Target =>
  async (exchange) => {
    const body = await readBody(exchange.request, REQUEST_BYTES_MAX);
    await runRoute(
      route,
      () => importDoor(doorIdOf(route)),
      { ...exchange, resource: route.path, body },
      exchange.response,
    );
  };

const localTarget =
  (route: LocalRoute): Target =>
  async ({ request, response, requestId, params, query }) => {
    if (!isLoopbackName(request.headers.host)) throw notFound();
    const body = await readBody(request, LOCAL_BYTES_MAX);
    const answer = await route.answer({ params, query: new URLSearchParams(query), headers: request.headers, body });
    const headers = {
      'x-request-id': requestId,
      'x-content-type-options': 'nosniff',
      ...corsHeaders(request.headers.origin, settings().allowedOrigins),
      ...answer.headers,
    };
    await send(request, response, { ...answer, headers });
  };

const placesOf = ({ routes, localRoutes, importDoor }: GatewayOptions): Placed[] => [
  ...routes.map((route) => ({ method: route.method, path: route.path, target: apiTarget(route, importDoor) })),
  ...localRoutes().map((route) => ({ method: route.method, path: route.path, target: localTarget(route) })),
];

/**
 * Listens on the loopback and turns requests into events of the REST gateway for the same handlers.
 * @throws {StartRefused} when the port is in use.
 */
export const startGateway = async (options: GatewayOptions): Promise<Gateway> => {
  let stopping = false;
  let route: ReturnType<typeof makeRouter> | undefined;

  const serve = async (exchange: Exchange, targets: Targets | undefined): Promise<void> => {
    const { request, response, requestId } = exchange;
    if (!targets) throw notFound();
    if (request.method === 'OPTIONS') {
      const headers = preflightHeaders(request.headers.origin, settings().allowedOrigins);
      await send(request, response, { status: 204, headers: { ...headers, 'x-request-id': requestId }, body: '' });
      return;
    }
    const target = targets.get(request.method as Method);
    if (!target) throw notFound();
    await target(exchange);
  };

  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { path, query } = splitAddress(request.url ?? '');
    let exchange: Exchange = { request, response, requestId: randomUUID(), path, query, params: {} };
    if (stopping) response.setHeader('connection', 'close');
    try {
      await options.ready;
      route ??= makeRouter(placesOf(options));
      const found = route(path);
      exchange = { ...exchange, params: found?.params ?? {} };
      await serve(exchange, found?.targets);
    } catch (error) {
      // A body that has been read leaves its request destroyed; only the connection tells whether anybody still listens.
      if (response.headersSent) throw error;
      if (!request.socket.destroyed) await answerFailure(exchange, error);
    }
  };

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    onRequest(request, response).catch((error: unknown) => {
      log.error('an answer could not be sent', { error: error as Error });
      response.destroy();
    });
  };
  const makeServer = (): Server =>
    createServer({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 15_000,
      connectionsCheckingInterval: 2000,
      requireHostHeader: false,
    })
      .on('request', handle)
      // Whoever asks before sending a large body gets his answer without sending it.
      .on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
        if (Number(request.headers['content-length'] ?? 0) <= REQUEST_BYTES_MAX) response.writeContinue();
        handle(request, response);
      })
      .on('clientError', answerMalformed);

  const [first, second] = [makeServer(), makeServer()];
  const port = await listenOnLoopback(first, options.port);
  try {
    await listenOnSecondLoopback(second, port, options.port !== 0);
  } catch (error) {
    await closeServer(first);
    throw error;
  }
  return {
    port,
    stop: async () => {
      stopping = true;
      await Promise.all([closeServer(first), closeServer(second)]);
    },
  };
};
