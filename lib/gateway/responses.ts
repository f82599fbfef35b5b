import { corsHeaders } from '#http/cors.ts';
import { AppError, type ErrorCode } from '#shared/errors.ts';

/** What the gateway says by itself, in its own words for the occasions. */
interface GatewayResponse {
  readonly statusCode: string;
  readonly responseParameters: Readonly<Record<string, string>>;
  readonly responseTemplates: Readonly<Record<string, string>>;
}

/** The gateway's name for the request, the same that functions are told. */
const REQUEST_ID = '$context.requestId';

const internal = () => new AppError('INTERNAL', { request_id: REQUEST_ID });
const tooMany = (retryAfter: number) => new AppError('RATE_LIMITED', { retryAfter });
const simply = (code: ErrorCode, message?: string) => new AppError(code, message === undefined ? {} : { message });
const unreadable = () =>
  new AppError('INVALID_INPUT', { details: { _errors: ['The gateway cannot read this request.'] } });

/** How long a caller over his plan's daily quota is told to wait, in seconds: the gateway does not say when it ends. */
const QUOTA_RETRY_SECONDS = 3600;

/**
 * Every occasion on which the gateway answers without a function, with the contract's failure for it. No method has an
 * authoriser, so signatures and tokens are missed only where there is no method at all: that is 404.
 */
const occasions: Readonly<Record<string, AppError>> = {
  MISSING_AUTHENTICATION_TOKEN: simply('NOT_FOUND'),
  INVALID_SIGNATURE: simply('NOT_FOUND'),
  EXPIRED_TOKEN: simply('NOT_FOUND'),
  RESOURCE_NOT_FOUND: simply('NOT_FOUND'),
  // Only the answer to unknown routes looks at media types, so this too is an unknown route.
  UNSUPPORTED_MEDIA_TYPE: simply('NOT_FOUND'),
  ACCESS_DENIED: simply('FORBIDDEN'),
  INVALID_API_KEY: simply('FORBIDDEN', 'Send the key of a usage plan as x-api-key.'),
  WAF_FILTERED: simply('FORBIDDEN'),
  UNAUTHORIZED: simply('UNAUTHORIZED'),
  BAD_REQUEST_BODY: unreadable(),
  BAD_REQUEST_PARAMETERS: unreadable(),
  DEFAULT_4XX: unreadable(),
  REQUEST_TOO_LARGE: simply('PAYLOAD_TOO_LARGE', 'The gateway carries at most 10 MB, and files of about 4.5 MB.'),
  THROTTLED: tooMany(1),
  QUOTA_EXCEEDED: tooMany(QUOTA_RETRY_SECONDS),
  INTEGRATION_TIMEOUT: simply('TIMEOUT'),
  INTEGRATION_FAILURE: internal(),
  API_CONFIGURATION_ERROR: internal(),
  AUTHORIZER_CONFIGURATION_ERROR: internal(),
  AUTHORIZER_FAILURE: internal(),
  DEFAULT_5XX: internal(),
};

const literal = (value: string): string => `'${value}'`;

/**
 * What lets a page of another origin read the answer. The gateway cannot choose among origins here. Where there is only
 * one, it is named; where there are several, everybody may read, without credentials: these answers are fixed words that
 * say nothing about anybody. Functions, whose answers do, name the caller's origin only when it is allowed.
 */
const originHeaders = (allowedOrigins: readonly string[]): Record<string, string> => {
  const [origin, ...others] = allowedOrigins;
  if (origin === undefined) return {};
  const named = corsHeaders(origin, allowedOrigins);
  if (others.length === 0) return named;
  const { 'access-control-allow-credentials': _credentials, vary: _vary, ...anonymous } = named;
  return { ...anonymous, 'access-control-allow-origin': '*' };
};

const responseOf = (error: AppError, allowedOrigins: readonly string[]): GatewayResponse => {
  const { retryAfter } = error.extra;
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(typeof retryAfter === 'number' && { 'retry-after': String(retryAfter) }),
    ...originHeaders(allowedOrigins),
  };
  return {
    statusCode: String(error.status),
    responseParameters: {
      'gatewayresponse.header.x-request-id': 'context.requestId',
      ...Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [`gatewayresponse.header.${name}`, literal(value)]),
      ),
    },
    responseTemplates: { 'application/json': JSON.stringify(error.body) },
  };
};

/** The gateway's own answers in the contract's shape, as `x-amazon-apigateway-gateway-responses` takes them. */
export const gatewayResponses = (allowedOrigins: readonly string[]): Record<string, GatewayResponse> =>
  Object.fromEntries(
    Object.entries(occasions).map(([occasion, error]) => [occasion, responseOf(error, allowedOrigins)]),
  );
