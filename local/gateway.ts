import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify';
import { servedRoutes } from '#contract/feeds.ts';
import { pagePrefixes } from '#contract/languages.ts';
import type { Method, Route } from '#contract/route.ts';
import { translatedPages } from '#contract/site.ts';
import { handlerIdOf } from '#contract/table.ts';
import { corsHeaders, preflightHeaders } from '#http/middleware/headers.ts';
import { environment } from '#platform/environment.ts';
import { log } from '#platform/log.ts';
import { AppError, forbidden, methodNotAllowed, notFound, payloadTooLarge } from '#shared/errors.ts';
import { respondToBadRequest, type UnknownMethodRequest } from './bad-request.ts';
import { inflated } from './compression.ts';
import type { ImportHandler } from './handlers.ts';
import { errorResponse, type HttpResponse, sendResponse } from './http-response.ts';
import { KEYS_PATH } from './issuer.ts';
import { isLoopbackName, isPublicHost, listenOn } from './listening.ts';
import type { LocalRoute } from './local-route.ts';
import { STORAGE_PATH } from './object-storage.ts';
import { splitAddress } from './proxy-event.ts';
import { invokeRoute } from './route-runner.ts';

interface GatewayOptions {
  /** The value of `HOST`; the loopback addresses without one. */
  readonly host: string | undefined;
  /** 0 takes any free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly importHandler: ImportHandler;
  /** Called once, after `ready`. */
  readonly localRoutes: () => readonly LocalRoute[];
  /** Requests wait for this. */
  readonly ready: Promise<void>;
  /** Multiplies the timeouts of the functions. */
  readonly timeoutFactor: number;
}

/** The HTTP server in front of the handlers. */
export interface Gateway {
  readonly port: number;
  /** Accepts no new connections; running requests have a few seconds to end. */
  stop(): Promise<void>;
}

const METHODS: readonly (Method | 'HEAD' | 'PATCH' | 'TRACE')[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'TRACE',
];

/** A method that no route has: requests with an unknown one are treated alike. */
const OTHER_METHOD = 'TRACE';

const methodsOf = ({ method }: RouteOptions): string[] => [method].flat();

/** `HEAD` answers like `GET`. */
const withHead = (method: string): string | string[] => (method === 'GET' ? ['GET', 'HEAD'] : method);
/** API Gateway's limit, in bytes. */
const REQUEST_BYTES_MAX = 10 * 1024 * 1024;
const LOCAL_BYTES_MAX = 64 * 1024;
/** Longer than any request line that the server accepts. */
const VARIABLE_MAX = 16_384;
/** How long the rest of an oversized body is drained, so that the client can read the response, in milliseconds. */
const LINGER_MS = 1000;

const respondWithError = (response: ServerResponse, error: AppError, requestId: string): void => {
  const { status, headers, body } = errorResponse(error, requestId);
  // The body of the request is not read.
  response.writeHead(status, { ...(headers as Record<string, string>), connection: 'close' }).end(body);
};

const isRoutedMethod = (method: string | undefined): boolean =>
  method === 'OPTIONS' || METHODS.some((known) => known === method);

const bodyOf = (request: FastifyRequest): Buffer => (request.body as Buffer | undefined) ?? Buffer.alloc(0);

const paramsOf = (request: FastifyRequest): Record<string, string> => request.params as Record<string, string>;

const urlOf = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

/** The path of the route, in which no character is escaped; that of the request where there is no route. */
const routePathOf = (request: FastifyRequest): string => request.routeOptions.url ?? request.raw.url ?? '';

/** Requests to the storage are signed. */
const isUnsignedLocal = (path: string): boolean => /^\/_local(?:\/|$)/.test(path) && !path.startsWith(STORAGE_PATH);

/** Whether others than the developer may have sent a request: from elsewhere, or through a proxy, which can change `Host`. */
const isForeign = (host: string | undefined, { headers }: IncomingMessage): boolean =>
  isPublicHost(host) ||
  environment().httpsOnly ||
  Object.keys(headers).some((name) => /^(?:forwarded|x-forwarded-.*|via)$/.test(name));

/** The origin that may get CORS headers: tokens and mails are for pages of this server only. */
const corsOriginOf = (request: FastifyRequest): string | undefined =>
  isUnsignedLocal(routePathOf(request)) ? undefined : request.headers.origin;

const reject = async (request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<void> => {
  const { id, raw } = request;
  const origin = corsOriginOf(request);
  if (error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const response = errorResponse(payloadTooLarge(request.routeOptions.bodyLimit), id, origin);
    await sendResponse(request, reply, { ...response, headers: { ...response.headers, connection: 'close' } });
    raw.resume();
    setTimeout(() => raw.socket.destroy(), LINGER_MS).unref();
    return;
  }
  if (raw.socket.destroyed) {
    reply.hijack();
    return;
  }
  if (!(error instanceof AppError)) log.error('the local gateway failed', { url: raw.url, error: error as Error });
  const known = error instanceof AppError ? error : new AppError('INTERNAL', { request_id: id });
  await sendResponse(request, reply, errorResponse(known, id, origin));
};

/** No page has this path: the function of the pages answers with its page for unknown addresses, in the language of the address. */
const unknownPath = (url: string): `/${string}` => {
  const { path } = splitAddress(url);
  const prefix = pagePrefixes(environment().siteLanguages).find((one) => one !== '' && path.startsWith(`${one}/`));
  return `${prefix ?? ''}/{unknown}` as `/${string}`;
};

/** Whether a browser asks for an address that does not exist, outside of the API and of the parts of this machine. */
const isPageRequest = ({ raw, is404 }: FastifyRequest, error: unknown): boolean =>
  is404 &&
  error instanceof AppError &&
  error.code === 'NOT_FOUND' &&
  (raw.method === 'GET' || raw.method === 'HEAD') &&
  raw.headers.accept?.includes('text/html') === true &&
  environment().features.site &&
  !/^\/(?:api|_local)(?:\/|$)/.test(raw.url ?? '');

const apiRoute = (route: Route, importHandler: ImportHandler, timeoutFactor: number): RouteOptions => ({
  method: withHead(route.method),
  url: urlOf(route.path),
  handler: async (request, reply) => {
    const load = () => importHandler(handlerIdOf(route));
    await invokeRoute(route, load, bodyOf(request), request, reply, timeoutFactor);
  },
});

const localRoute = (route: LocalRoute): RouteOptions => ({
  method: withHead(route.method),
  url: urlOf(route.path),
  bodyLimit: LOCAL_BYTES_MAX,
  handler: async (request, reply) => {
    const { headers } = request.raw;
    const query = new URLSearchParams(splitAddress(request.raw.url ?? '').query);
    const body = route.streams ? Buffer.alloc(0) : bodyOf(request);
    const response = await route.respond({ params: paramsOf(request), query, headers, body, raw: request.raw });
    const common = {
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      ...corsHeaders(isUnsignedLocal(route.path) ? undefined : headers.origin, environment().allowedOrigins),
    };
    await sendResponse(request, reply, { ...response, headers: { ...common, ...response.headers } });
  },
});

const preflightRoute = (url: string): RouteOptions => ({
  method: 'OPTIONS',
  url,
  handler: async (request, reply) => {
    const headers = preflightHeaders(corsOriginOf(request), environment().allowedOrigins);
    await sendResponse(request, reply, { status: 204, headers: { ...headers, 'x-request-id': request.id }, body: '' });
  },
});

/** As in API Gateway, the path is matched before the method: `PUT /a/literal` never reaches `PUT /a/{variable}`. */
const otherMethods = (url: string, known: readonly RouteOptions[]): RouteOptions[] => {
  const allowed = new Set(known.flatMap(methodsOf));
  const allow = [...METHODS.filter((method) => allowed.has(method)), 'OPTIONS'].join(', ');
  return METHODS.filter((method) => !allowed.has(method)).map((method) => ({
    method,
    url,
    onRequest: (_request, reply, done) => {
      reply.raw.setHeader('allow', allow);
      done(methodNotAllowed());
    },
    handler: async () => undefined,
  }));
};

const addRoutes = (app: FastifyInstance, routes: readonly RouteOptions[]): void => {
  for (const [url, known = []] of Object.entries(Object.groupBy(routes, (route) => route.url))) {
    for (const route of [...known, preflightRoute(url), ...otherMethods(url, known)]) app.route(route);
  }
};

const makeApp = async ({
  host,
  routes,
  localRoutes,
  importHandler,
  timeoutFactor,
}: GatewayOptions): Promise<FastifyInstance> => {
  const app = Fastify({
    genReqId: () => randomUUID(),
    bodyLimit: REQUEST_BYTES_MAX,
    exposeHeadRoutes: false,
    rewriteUrl: ({ url = '' }) => {
      if (url.startsWith('/')) return url;
      const { path, query } = splitAddress(url);
      return query === '' ? path : `${path}?${query}`;
    },
    // The query is decoded by `proxyEvent`.
    routerOptions: { maxParamLength: VARIABLE_MAX, querystringParser: () => ({}), ignoreTrailingSlash: true },
    frameworkErrors: (_, request, reply) => void reject(request, reply, notFound()),
  });
  // API Gateway forwards a body of any type and with any method; the handlers validate it.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async ({ raw, routeOptions }: FastifyRequest, body: Buffer) =>
    inflated(body, raw.headers['content-encoding'], routeOptions.bodyLimit ?? REQUEST_BYTES_MAX),
  );
  const siteRoute = routes.find(({ id }) => id === 'site.read');
  app.addHook('onRequest', (request, _, done) => {
    const hasEmptyVariable = Object.values(paramsOf(request) ?? {}).includes('');
    const isPath = request.raw.url?.startsWith('/');
    if (request.is404 || hasEmptyVariable || !isPath) return done(notFound());
    const path = routePathOf(request);
    if (isUnsignedLocal(path) && path !== KEYS_PATH && isForeign(host, request.raw)) return done(notFound());
    // Hides the media type from Fastify, which rejects a malformed one.
    if (request.headers['content-type'] !== undefined) request.headers = { 'content-type': 'application/octet-stream' };
    done();
  });
  app.setErrorHandler(async (error, request, reply) => {
    if (siteRoute && isPageRequest(request, error)) {
      const load = () => importHandler(handlerIdOf(siteRoute));
      await invokeRoute(
        { ...siteRoute, path: unknownPath(request.raw.url ?? '') },
        load,
        bodyOf(request),
        request,
        reply,
        timeoutFactor,
      );
      return;
    }
    await reject(request, reply, error);
  });

  const local = Object.groupBy(localRoutes(), ({ streams }) => (streams ? 'streaming' : 'buffered'));
  const pages = siteRoute ? translatedPages(environment().siteLanguages) : [];
  addRoutes(app, [
    ...servedRoutes([...routes, ...pages], environment().indexNow?.key).map((route) =>
      apiRoute(route, importHandler, timeoutFactor),
    ),
    ...(local.buffered ?? []).map(localRoute),
  ]);
  await app.register(async (streaming) => {
    streaming.removeAllContentTypeParsers();
    streaming.addContentTypeParser('*', (_, _body, done) => done(null));
    addRoutes(streaming, (local.streaming ?? []).map(localRoute));
  });
  await app.ready();
  return app;
};

/**
 * Listens on the addresses of `HOST` and invokes the handlers with API Gateway proxy events.
 * @throws {StartupError} when an address is not one of this machine, or the port is in use.
 */
export const startGateway = async (options: GatewayOptions): Promise<Gateway> => {
  let stopping = false;
  let app: FastifyInstance | undefined;
  const start = async (): Promise<void> => {
    await options.ready;
    try {
      app = await makeApp(options);
    } catch (error) {
      log.error('the gateway did not start', { error: error as Error });
      throw error;
    }
  };
  const starting = start();
  // Requests respond with it; that of `ready` also ends the start of the server.
  starting.catch(() => undefined);

  // The public uses the name of the site, or an address.
  const isServedName = (host: string | undefined): boolean => isPublicHost(options.host) || isLoopbackName(host);

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (stopping) response.setHeader('connection', 'close');
    if (!isServedName(request.headers.host)) {
      respondWithError(response, forbidden(), randomUUID());
      return;
    }
    // Node knows more methods than the router, which would find no path for them.
    if (!isRoutedMethod(request.method)) request.method = OTHER_METHOD;
    if (app) {
      app.routing(request, response);
      return;
    }
    starting.then(
      () => app?.routing(request, response),
      () => {
        const requestId = randomUUID();
        respondWithError(response, new AppError('INTERNAL', { request_id: requestId }), requestId);
      },
    );
  };
  const respondToUnknownMethod = async ({ target, host }: UnknownMethodRequest): Promise<HttpResponse> => {
    if (!isServedName(host)) return errorResponse(forbidden(), randomUUID());
    await starting;
    if (!app) return errorResponse(notFound(), randomUUID());
    const { statusCode, headers, rawPayload } = await app.inject({
      method: OTHER_METHOD,
      url: target,
      headers: { host },
    });
    return { status: statusCode, headers: headers as HttpResponse['headers'], body: rawPayload };
  };
  const makeServer = (): Server =>
    createServer({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 120_000,
      connectionsCheckingInterval: 2000,
      requireHostHeader: false,
    })
      .on('request', handle)
      // `Expect: 100-continue`: an oversized body is rejected before the client sends it.
      .on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
        const isBounded = Number(request.headers['content-length'] ?? 0) <= REQUEST_BYTES_MAX;
        if (isBounded || request.url?.startsWith(STORAGE_PATH)) response.writeContinue();
        handle(request, response);
      })
      .on('clientError', (failure, socket) => {
        respondToBadRequest(failure, socket as Socket, respondToUnknownMethod).catch(() => socket.destroy());
      });

  const listeners = await listenOn(makeServer, options.host, options.port);
  return {
    port: listeners.port,
    stop: async () => {
      stopping = true;
      await listeners.close();
    },
  };
};
