import { type Route, scopes } from '#contract/route.ts';
import { type ErrorCode, errorCodes, statusOf, textOf } from '#shared/errors.ts';
import { codeSentences } from './descriptions.ts';

/** The error codes of a route: those of the middleware, derived from its fields, and those that it declares. */
const failuresOf = (route: Route): readonly ErrorCode[] => {
  const writes = route.method !== 'GET';
  const knowsUser = route.auth === 'user' || route.auth === 'admin' || route.auth === 'optional';
  const takesBody = route.body !== undefined || route.bodyKind === 'multipart';
  const conditions: readonly (readonly [boolean, ...ErrorCode[]])[] = [
    [route.feature !== undefined || route.path.includes('{'), 'NOT_FOUND'],
    [route.tier !== 'none', 'RATE_LIMITED'],
    [route.auth === 'user' || route.auth === 'cron', 'UNAUTHORIZED'],
    [route.auth === 'signature', 'INVALID_SIGNATURE'],
    [route.auth === 'admin', 'FORBIDDEN', 'BANNED'],
    [route.auth === 'admin' || (route.auth === 'user' && route.scopes?.length !== scopes.length), 'SCOPE'],
    // Writes with a cookie are refused when they are cross-site.
    [knowsUser && writes, 'FORBIDDEN'],
    [knowsUser && writes && !route.allowsBanned, 'BANNED'],
    [knowsUser && writes && !route.allowsUnverified, 'EMAIL_UNVERIFIED'],
    [takesBody || route.query !== undefined, 'INVALID_INPUT'],
    [takesBody, 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    [route.ifMatch === true, 'STALE'],
    [route.idempotent === true, 'INVALID_INPUT', 'IN_PROGRESS', 'IDEMPOTENCY_MISMATCH'],
    [true, 'INTERNAL', 'UNAVAILABLE', 'TIMEOUT', ...(route.failures ?? [])],
  ];
  const possible = new Set(conditions.flatMap(([holds, ...codes]) => (holds ? codes : [])));
  return errorCodes.filter((code) => possible.has(code));
};

/** `SLUG_TAKEN`, `DUPLICATE_URL` → `SlugTakenOrDuplicateUrl`. */
const nameOf = (codes: readonly ErrorCode[]): string =>
  codes
    .map((code) => code.toLowerCase().replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()))
    .join('Or');

const exampleOf = (code: ErrorCode): object => ({
  error: textOf(code),
  code,
  ...(code === 'INVALID_INPUT' && { details: { _errors: [], name: { _errors: ['is required'] } } }),
  ...(code === 'RATE_LIMITED' && { retryAfter: 12 }),
  ...(code === 'UNAVAILABLE' && { retryAfter: 5 }),
  ...(code === 'INTERNAL' && { request_id: '7c1f9a52-2f7e-4a5e-9d0a-3f4b8a0d1c2e' }),
});

const errorSchemaName = (codes: readonly ErrorCode[]): string => `${nameOf(codes)}Error`;

const errorSchemaOf = (codes: readonly ErrorCode[]): object => ({
  allOf: [
    { $ref: '#/components/schemas/Error' },
    { type: 'object', properties: { code: { type: 'string', enum: codes } } },
  ],
});

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

export const commonHeaders = {
  'X-Request-Id': header('X-Request-Id'),
  RateLimit: header('RateLimit'),
  'RateLimit-Policy': header('RateLimit-Policy'),
};

const responseOf = (codes: readonly ErrorCode[]) => ({
  description: codes.map((code) => `\`${code}\`: ${codeSentences[code]}`).join('\n\n'),
  headers: {
    ...commonHeaders,
    ...((codes.includes('RATE_LIMITED') || codes.includes('UNAVAILABLE')) && { 'Retry-After': header('Retry-After') }),
  },
  content: {
    'application/json': {
      schema: { $ref: `#/components/schemas/${errorSchemaName(codes)}` },
      examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
    },
  },
});

const jsonRpcError = {
  description: 'An error of JSON-RPC 2.0.',
  type: 'object',
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'integer', 'null'] },
    error: {
      type: 'object',
      properties: { code: { type: 'integer' }, message: { type: 'string' }, data: {} },
      required: ['code', 'message'],
    },
  },
  required: ['jsonrpc', 'error'],
};

/** A failure of a route that speaks JSON-RPC. */
const ofProtocol = (codes: readonly ErrorCode[]): object => {
  const failure = responseOf(codes);
  const { schema, examples } = failure.content['application/json'];
  return { ...failure, content: { 'application/json': { schema: { anyOf: [schema, jsonRpcError] }, examples } } };
};

export const failureResponses = (route: Route) => {
  const byStatus = Object.groupBy(failuresOf(route), (code) => statusOf(code));
  const named = Object.entries(byStatus).map(([status, codes = []]) => ({ status, codes, name: nameOf(codes) }));
  const pageOrReference = (codes: readonly ErrorCode[], name: string): object => {
    if (route.jsonRpc && (codes.includes('INVALID_INPUT') || codes.includes('NOT_FOUND'))) return ofProtocol(codes);
    const notFoundPage = codes.includes('NOT_FOUND') ? route.notFoundPage : undefined;
    if (!route.errorPages && notFoundPage === undefined) return { $ref: `#/components/responses/${name}` };
    const failure = responseOf(codes);
    return {
      ...failure,
      ...(notFoundPage !== undefined && { description: notFoundPage }),
      content: { ...failure.content, 'text/html; charset=utf-8': { schema: { type: 'string' } } },
    };
  };
  return {
    responses: Object.fromEntries(named.map(({ status, codes, name }) => [status, pageOrReference(codes, name)])),
    components: Object.fromEntries(named.map(({ name, codes }) => [name, responseOf(codes)])),
    schemas: Object.fromEntries(named.map(({ codes }) => [errorSchemaName(codes), errorSchemaOf(codes)])),
  };
};
