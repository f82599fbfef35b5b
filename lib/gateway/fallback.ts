import { corsHeaders, preflightHeaders } from '#http/cors.ts';
import { notFound } from '#shared/errors.ts';

/**
 * The answer of every path to methods that have no route: 204 to a browser's question, 404 to everything else. The
 * gateway gives it by itself; no function is started. It can choose the origin's headers here, which it cannot in its
 * gateway responses, and it does not mind an `Authorization` header, which it does where a path has no method at all.
 * It stands in the template once for each path, so both answers are one text.
 */

// A stand-in for the origin in the header builders that functions use; the template puts the caller's in its place.
const ORIGIN = 'https://origin.invalid';

/** @param headers texts of the template's language. */
const overrides = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `#set($context.responseOverride.header.${name} = ${value})`);

const written = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name !== 'vary')
      .map(([name, value]) => [name, value === ORIGIN ? '$origin' : JSON.stringify(value)]),
  );

const readable = corsHeaders(ORIGIN, [ORIGIN]);

/** What a browser is told before it sends a request, beside what it is told with every answer. */
const beforehand = Object.fromEntries(
  Object.entries(preflightHeaders(ORIGIN, [ORIGIN])).filter(([name]) => !Object.hasOwn(readable, name)),
);

const IF_ASKED = '#if($context.httpMethod == "OPTIONS")';

/** Adds the headers where the caller's origin is one of those allowed. */
const forAllowed = (allowedOrigins: readonly string[]): string[] => {
  if (allowedOrigins.length === 0) return [];
  return [
    '#set($origin = $input.params().header.get("origin"))',
    '#if(!$origin || $origin == "")',
    '#set($origin = $input.params().header.get("Origin"))',
    '#end',
    `#if(${allowedOrigins.map((origin) => `$origin == ${JSON.stringify(origin)}`).join(' || ')})`,
    ...overrides(written(readable)),
    IF_ASKED,
    ...overrides(written(beforehand)),
    '#end',
    '#end',
  ];
};

const templateOf = (allowedOrigins: readonly string[]): string =>
  [
    ...overrides({
      'x-request-id': '$context.requestId',
      'cache-control': '"no-store"',
      'x-content-type-options': '"nosniff"',
      ...(allowedOrigins.length > 0 && { vary: '"Origin"' }),
    }),
    ...forAllowed(allowedOrigins),
    IF_ASKED,
    '#set($context.responseOverride.status = 204)',
    '#else',
    JSON.stringify(notFound().body),
    '#end',
  ].join('\n');

/** The operation for `x-amazon-apigateway-any-method`. */
export const fallback = (allowedOrigins: readonly string[]) => ({
  responses: { 404: { description: 'No such route.' } },
  'x-amazon-apigateway-integration': {
    type: 'mock',
    passthroughBehavior: 'never',
    contentHandling: 'CONVERT_TO_TEXT',
    // A question has no body. Another type than JSON ends as 415, which the gateway's responses turn into 404.
    requestTemplates: { 'application/json': '{"statusCode": 404}' },
    responses: {
      default: { statusCode: '404', responseTemplates: { 'application/json': templateOf(allowedOrigins) } },
    },
  },
});
