import { type Route, scopes } from '#contract/route.ts';
import { type ErrorCode, errorCodes, statusOf, textOf } from '#shared/errors.ts';
import { codeSentences } from './descriptions.ts';

/** The error codes of a route: those of the middleware, derived from its fields, and those that it declares. */
export const failuresOf = (route: Route): readonly ErrorCode[] => {
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

/** The name of the schema of failures with one of these codes. */
const errorSchemaName = (codes: readonly ErrorCode[]): string => `${nameOf(codes)}Error`;

const errorSchemaOf = (codes: readonly ErrorCode[]): object => ({
  allOf: [
    { $ref: '#/components/schemas/Error' },
    { type: 'object', properties: { code: { type: 'string', enum: codes } } },
  ],
});

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** The headers of every response. */
export const commonHeaders = {
  'X-Request-Id': header('X-Request-Id'),
  RateLimit: header('RateLimit'),
  'RateLimit-Policy': header('RateLimit-Policy'),
};

const responseOf = (codes: readonly ErrorCode[]): object => ({
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

/** The failure responses of a route by status, and the components that they reference. */
export const failureResponses = (route: Route) => {
  const byStatus = Object.groupBy(failuresOf(route), (code) => statusOf(code));
  const named = Object.entries(byStatus).map(([status, codes = []]) => ({ status, codes, name: nameOf(codes) }));
  return {
    responses: Object.fromEntries(
      named.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
    ),
    components: Object.fromEntries(named.map(({ name, codes }) => [name, responseOf(codes)])),
    schemas: Object.fromEntries(named.map(({ codes }) => [errorSchemaName(codes), errorSchemaOf(codes)])),
  };
};
