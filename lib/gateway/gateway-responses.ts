import { corsHeaders, TRANSPORT_SECURITY } from '#http/middleware/headers.ts';
import { AppError, type ErrorCode, unsupportedEncoding } from '#shared/errors.ts';

/** A gateway response, in the terms of the import format. */
export interface GatewayResponse {
  readonly statusCode: string;
  readonly responseParameters: Readonly<Record<string, string>>;
  readonly responseTemplates: Readonly<Record<string, string>>;
}

/** The request id, as functions receive it. */
const REQUEST_ID = '$context.requestId';

const internal = () => new AppError('INTERNAL', { request_id: REQUEST_ID });
const tooMany = (retryAfter: number) => new AppError('RATE_LIMITED', { retryAfter });
const errorOf = (code: ErrorCode, message?: string) => new AppError(code, message === undefined ? {} : { message });
const badRequest = () =>
  new AppError('INVALID_INPUT', { details: { _errors: ['The gateway cannot read this request.'] } });

/** The `retryAfter` of an exceeded daily quota, in seconds: the gateway does not provide the time of its reset. */
const QUOTA_RETRY_SECONDS = 3600;

/**
 * The error of the contract for each gateway response type. No method has an authorizer, so signature and token errors
 * occur only on unknown paths and become 404.
 */
const errorsByType: Readonly<Record<string, AppError>> = {
  MISSING_AUTHENTICATION_TOKEN: errorOf('NOT_FOUND'),
  INVALID_SIGNATURE: errorOf('NOT_FOUND'),
  EXPIRED_TOKEN: errorOf('NOT_FOUND'),
  RESOURCE_NOT_FOUND: errorOf('NOT_FOUND'),
  // The gateway inflates the bodies of requests itself, and cannot tell broken ones from other encodings. Besides, it refuses
  // the rare media types that the fallback does not list.
  UNSUPPORTED_MEDIA_TYPE: unsupportedEncoding(),
  ACCESS_DENIED: errorOf('FORBIDDEN'),
  INVALID_API_KEY: errorOf('FORBIDDEN', 'Send the key of a usage plan as x-api-key.'),
  WAF_FILTERED: errorOf('FORBIDDEN'),
  UNAUTHORIZED: errorOf('UNAUTHORIZED'),
  BAD_REQUEST_BODY: badRequest(),
  BAD_REQUEST_PARAMETERS: badRequest(),
  DEFAULT_4XX: badRequest(),
  REQUEST_TOO_LARGE: errorOf('PAYLOAD_TOO_LARGE', 'The gateway carries at most 10 MB, and files of about 4.5 MB.'),
  THROTTLED: tooMany(1),
  QUOTA_EXCEEDED: tooMany(QUOTA_RETRY_SECONDS),
  INTEGRATION_TIMEOUT: errorOf('TIMEOUT'),
  INTEGRATION_FAILURE: internal(),
  API_CONFIGURATION_ERROR: internal(),
  AUTHORIZER_CONFIGURATION_ERROR: internal(),
  AUTHORIZER_FAILURE: internal(),
  DEFAULT_5XX: internal(),
};

const literal = (value: string): string => `'${value}'`;

/**
 * CORS headers of gateway responses, which cannot select among origins. A single allowed origin is named. With several,
 * every origin may read the response without credentials: it contains no user data.
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
    ...TRANSPORT_SECURITY,
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

/** All gateway responses, as the value of `x-amazon-apigateway-gateway-responses`. */
export const gatewayResponses = (allowedOrigins: readonly string[]): Record<string, GatewayResponse> =>
  Object.fromEntries(
    Object.entries(errorsByType).map(([occasion, error]) => [occasion, responseOf(error, allowedOrigins)]),
  );
