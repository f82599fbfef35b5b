import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import findMyWay from 'find-my-way';
import type { Method, Route } from '#contract/route.ts';
import { corsHeaders, preflightHeaders } from '#http/cors.ts';
import { log } from '#platform/log.ts';
import { settings } from '#platform/settings.ts';
import { AppError, invalidInput, notFound, payloadTooLarge } from '#shared/errors.ts';
import { failureAnswer, send } from './answer.ts';
import { BodyTooLarge, readBody } from './body.ts';
import type { ImportDoor } from './doors.ts';
import type { LocalRoute } from './local-route.ts';
import { StartRefused } from './refusal.ts';
import { runRoute } from './route-runner.ts';

/** What the gateway serves. */
export interface GatewayOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly importDoor: ImportDoor;
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
const STOP_MS = 5000;
/** How long a caller who sends too much may go on sending before the connection is cut: else he never reads the answer. */
const LINGER_MS = 1000;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly path: string;
  readonly query: string;
  readonly params: Readonly<Record<string, string>>;
}

type Target = (exchange: Exchange) => Promise<void>;
type Targets = Map<Method, Target>;

const splitAddress = (url: string): { path: string; query: string } => {
  const address = url.startsWith('/') ? url : (URL.parse(url)?.href.replace(/^[^/]*\/\/[^/?]*/, '') ?? url);
  const mark = address.indexOf('?');
  return mark < 0 ? { path: address, query: '' } : { path: address.slice(0, mark), query: address.slice(mark + 1) };
};

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
    await runRoute(route, () => importDoor(route.id), { ...exchange, resource: route.path, body }, exchange.response);
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

/** Finds the targets of a path. Literal parts win over variables, and the path is decided before the method, as in the gateway. */
const makeRouter = (routes: readonly Route[], localRoutes: readonly LocalRoute[], importDoor: ImportDoor) => {
  const byPath = new Map<string, Targets>();
  const add = (path: string, method: Method, target: Target): void => {
    const targets = byPath.get(path) ?? new Map<Method, Target>();
    byPath.set(path, targets.set(method, target));
  };
  for (const route of routes) add(route.path, route.method, apiTarget(route, importDoor));
  for (const route of localRoutes) add(route.path, route.method, localTarget(route));
  const router = findMyWay({ maxParamLength: 16_384 });
  for (const [path, targets] of byPath) {
    router.on('GET', path.replace(/\{(\w+)\}/g, ':$1'), () => undefined, targets);
  }
  return (path: string): { targets: Targets; params: Record<string, string> } | undefined => {
    const found = path.startsWith('/') ? router.find('GET', path) : null;
    if (!found) return undefined;
    const params = found.params as Record<string, string>;
    // To the gateway a path that ends where a variable should stand is another path.
    if (Object.values(params).includes('')) return undefined;
    return { targets: found.store as Targets, params };
  };
};

/** A line such as begins every request, whatever the method. */
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r?\n/;

interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

const failureOf = ({ code, rawPacket }: ClientError): AppError => {
  const isUnknownMethod = code === 'HPE_INVALID_METHOD' && REQUEST_LINE.test(rawPacket?.toString('latin1') ?? '');
  if (isUnknownMethod) return notFound();
  const isLate = code === 'ERR_HTTP_REQUEST_TIMEOUT';
  return invalidInput(isLate ? 'The request did not arrive in time.' : 'The request is not valid HTTP.');
};

/** Answers what is not even a request. */
const answerMalformed = (error: ClientError, socket: Socket): void => {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, headers, body } = failureAnswer(failureOf(error), randomUUID());
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${String(value)}`).join('\r\n');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n\r\n${body.toString()}`);
};

const listen = async (server: Server, port: number, host: string): Promise<number> => {
  server.listen({ port, host, ipv6Only: true });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

const isCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

const listenFirst = async (server: Server, port: number): Promise<number> => {
  try {
    return await listen(server, port, '127.0.0.1');
  } catch (error) {
    const next = port < 65_535 ? port + 1 : port - 1;
    if (isCode(error, 'EADDRINUSE')) {
      throw new StartRefused(`Port ${port} is in use. Set PORT to another one, such as PORT=${next}.`);
    }
    if (isCode(error, 'EACCES')) {
      throw new StartRefused(
        `Port ${port} may not be used by this user. Set PORT to one above 1023, such as PORT=3000.`,
      );
    }
    throw error;
  }
};

/** Listens under the loopback's second address too, where there is one: `localhost` may mean either. */
const listenSecond = async (server: Server, port: number, required: boolean): Promise<void> => {
  try {
    await listen(server, port, '::1');
  } catch (error) {
    if (isCode(error, 'EADDRNOTAVAIL', 'EAFNOSUPPORT')) return;
    if (!isCode(error, 'EADDRINUSE')) throw error;
    if (required) {
      throw new StartRefused(
        `Port ${port} is in use on ::1, where localhost may lead. Set PORT to another one, such as PORT=${port + 1}.`,
      );
    }
  }
};

const close = async (server: Server): Promise<void> => {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  // A connection becomes idle when its request has been answered; the caller would keep it open for the next.
  const tidy = setInterval(() => server.closeIdleConnections(), 25);
  const last = setTimeout(() => server.closeAllConnections(), STOP_MS);
  await closed;
  clearInterval(tidy);
  clearTimeout(last);
};

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
      route ??= makeRouter(options.routes, options.localRoutes(), options.importDoor);
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
  const port = await listenFirst(first, options.port);
  try {
    await listenSecond(second, port, options.port !== 0);
  } catch (error) {
    await close(first);
    throw error;
  }
  return {
    port,
    stop: async () => {
      stopping = true;
      await Promise.all([close(first), close(second)]);
    },
  };
};
