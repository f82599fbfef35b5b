import { corsHeaders, preflightHeaders } from '#http/cors.ts';
import { notFound } from '#shared/errors.ts';

/**
 * The answer of every path to methods that have no route: 204 to a browser's question, 404 to everything else. The
 * gateway gives it by itself; no function is started. It can choose the origin's headers here, which it cannot in its
 * gateway responses, and it does not mind an `Authorization` header, which it does where a path has no method at all.
 */

// A stand-in for the origin in the header builders that functions use; the template puts the caller's in its place.
const ORIGIN = 'https://origin.invalid';

const overrides = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers)
    .filter(([name]) => name !== 'vary')
    .map(([name, value]) => {
      const written = value === ORIGIN ? '$origin' : JSON.stringify(value);
      return `#set($context.responseOverride.header.${name} = ${written})`;
    });

/** Adds the headers where the caller's origin is one of those allowed. */
const forAllowed = (allowedOrigins: readonly string[], headers: Readonly<Record<string, string>>): string[] => {
  if (allowedOrigins.length === 0) return [];
  return [
    '#set($origin = $input.params().header.get("origin"))',
    '#if(!$origin || $origin == "")',
    '#set($origin = $input.params().header.get("Origin"))',
    '#end',
    `#if(${allowedOrigins.map((origin) => `$origin == ${JSON.stringify(origin)}`).join(' || ')})`,
    ...overrides(headers),
    '#end',
  ];
};

interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly template: string;
}

const answers = (allowedOrigins: readonly string[]): { preflight: Answer; unknown: Answer } => {
  const vary: Record<string, string> = allowedOrigins.length > 0 ? { vary: "'Origin'" } : {};
  const common = { 'x-request-id': 'context.requestId', ...vary };
  return {
    preflight: {
      headers: common,
      template: forAllowed(allowedOrigins, preflightHeaders(ORIGIN, [ORIGIN])).join('\n'),
    },
    unknown: {
      headers: { ...common, 'cache-control': "'no-store'", 'x-content-type-options': "'nosniff'" },
      template: [...forAllowed(allowedOrigins, corsHeaders(ORIGIN, [ORIGIN])), JSON.stringify(notFound().body)].join(
        '\n',
      ),
    },
  };
};

const declared = (description: string, { headers }: Answer) => ({
  description,
  headers: Object.fromEntries(Object.keys(headers).map((name) => [name, { schema: { type: 'string' } }])),
});

const integrated = (statusCode: string, { headers, template }: Answer) => ({
  statusCode,
  responseParameters: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [`method.response.header.${name}`, value]),
  ),
  responseTemplates: { 'application/json': template },
});

/** The operation for `x-amazon-apigateway-any-method`. */
export const fallback = (allowedOrigins: readonly string[]) => {
  const { preflight, unknown } = answers(allowedOrigins);
  const choice = '{"statusCode": #if($context.httpMethod == "OPTIONS")204#{else}404#end}';
  return {
    responses: {
      204: declared('What a page of another origin may send.', preflight),
      404: declared('There is no such route.', unknown),
    },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      passthroughBehavior: 'never',
      contentHandling: 'CONVERT_TO_TEXT',
      // A question has no body. Another type than JSON ends as 415, which the gateway's responses turn into 404.
      requestTemplates: { 'application/json': choice },
      responses: { 204: integrated('204', preflight), default: integrated('404', unknown) },
    },
  };
};
