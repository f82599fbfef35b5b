import { corsHeaders, preflightHeaders, TRANSPORT_SECURITY } from '#http/middleware/headers.ts';
import { methodNotAllowed, notFound } from '#shared/errors.ts';

/**
 * The response for methods and paths without a route: for a known path 204 to preflight requests, otherwise 405; 404 for an
 * unknown one. A mock integration returns it without a function. Unlike a gateway response, it can select CORS headers by origin,
 * and it accepts an `Authorization` header on paths without a method. The template is repeated for each path, so all cases
 * share one text.
 */

// A marker passed to the header builders of functions; the template replaces it with the caller's origin.
const ORIGIN = 'https://origin.invalid';

/** @param headers VTL expressions by header name. */
const setHeaders = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `#set($context.responseOverride.header.${name} = ${value})`);

const literals = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name !== 'vary')
      .map(([name, value]) => [name, value === ORIGIN ? '$origin' : JSON.stringify(value)]),
  );

const cors = corsHeaders(ORIGIN, [ORIGIN]);

/** Headers of preflight responses only. */
const preflightOnly = Object.fromEntries(
  Object.entries(preflightHeaders(ORIGIN, [ORIGIN])).filter(([name]) => !Object.hasOwn(cors, name)),
);

/**
 * The media types of requests to a known path with another method. The gateway refuses those that are not listed with its own
 * 415; the template is repeated for each path, so the list is short.
 */
const COMMON_TYPES = [
  'application/json',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'application/xml',
  'multipart/form-data',
  'text/csv',
  'text/plain',
];

/** The media types of requests to unknown paths, which are few. */
const UNKNOWN_PATH_TYPES = [
  ...COMMON_TYPES,
  'application/graphql',
  'application/pdf',
  'application/zip',
  'image/jpeg',
  'image/png',
  'text/html',
  'text/xml',
];

const IF_PREFLIGHT = '#if($context.httpMethod == "OPTIONS")';

/** Directives that set the CORS headers for allowed origins. @param hasPreflight whether a preflight request succeeds. */
const corsDirectives = (allowedOrigins: readonly string[], hasPreflight: boolean): string[] => {
  if (allowedOrigins.length === 0) return [];
  return [
    '#set($origin = $input.params().header.get("origin"))',
    '#if(!$origin || $origin == "")',
    '#set($origin = $input.params().header.get("Origin"))',
    '#end',
    `#if(${allowedOrigins.map((origin) => `$origin == ${JSON.stringify(origin)}`).join(' || ')})`,
    ...setHeaders(literals(cors)),
    ...(hasPreflight ? [IF_PREFLIGHT, ...setHeaders(literals(preflightOnly)), '#end'] : []),
    '#end',
  ];
};

/** The methods of a path for `Allow`. */
const allowOf = (methods: readonly string[]): string => [...methods, 'OPTIONS'].join(', ');

const templateOf = (allowedOrigins: readonly string[], methods: readonly string[]): string => {
  const isKnown = methods.length > 0;
  return [
    ...setHeaders({
      'x-request-id': '$context.requestId',
      'cache-control': '"no-store"',
      'x-content-type-options': '"nosniff"',
      ...literals(TRANSPORT_SECURITY),
      ...(allowedOrigins.length > 0 && { vary: '"Origin"' }),
    }),
    ...corsDirectives(allowedOrigins, isKnown),
    ...(isKnown
      ? [
          IF_PREFLIGHT,
          '#set($context.responseOverride.status = 204)',
          '#else',
          ...setHeaders({ allow: JSON.stringify(allowOf(methods)) }),
          JSON.stringify(methodNotAllowed().body),
          '#end',
        ]
      : [JSON.stringify(notFound().body)]),
  ].join('\n');
};

/**
 * The operation for `x-amazon-apigateway-any-method`.
 * @param methods the methods of the path that have a route; empty for an unknown path.
 */
export const fallback = (allowedOrigins: readonly string[], methods: readonly string[] = []) => {
  const isKnown = methods.length > 0;
  const { status } = isKnown ? methodNotAllowed() : notFound();
  const request = JSON.stringify({ statusCode: status });
  return {
    responses: { [status]: { description: isKnown ? 'No such method.' : 'No such route.' } },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      passthroughBehavior: 'never',
      contentHandling: 'CONVERT_TO_TEXT',
      requestTemplates: Object.fromEntries(
        (isKnown ? COMMON_TYPES : UNKNOWN_PATH_TYPES).map((type) => [type, request]),
      ),
      responses: {
        default: {
          statusCode: String(status),
          responseTemplates: { 'application/json': templateOf(allowedOrigins, methods) },
        },
      },
    },
  };
};
