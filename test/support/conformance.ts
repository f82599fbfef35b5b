import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { splitAddress } from '#local/proxy-event.ts';
import {
  type DocumentedOperation,
  type DocumentedResponse,
  document,
  escapePointer,
  operationFor,
} from './operations.ts';
import { recordResponse } from './responses-seen.ts';

/** Compares every response that a test receives with the OpenAPI document. */

/** A request and its response. */
export interface SeenResponse {
  readonly method: string;
  /** The request target as sent. */
  readonly address: string;
  readonly status: number;
  readonly headers: Headers;
  /** Parsed if it is JSON, a string otherwise, undefined if empty. */
  readonly body: unknown;
  /** The rate limiter is disabled for the request, so quota headers are not required. */
  readonly uncounted?: boolean;
}

const ERRORS_SHOWN = 3;

// The document itself is validated by the tests of OpenAPI.
const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, allErrors: true });
ajv.addSchema(document, 'document');
const validators = new Map<string, ValidateFunction>();

/** The first violations of the schema at a JSON pointer. */
const schemaViolations = (pointer: string, value: unknown): string[] => {
  let validate = validators.get(pointer);
  if (!validate) {
    // A pointer in a URI fragment is percent-encoded.
    const $ref = `document#${pointer.split('/').map(encodeURIComponent).join('/')}`;
    validate = ajv.compile({ $ref });
    validators.set(pointer, validate);
  }
  if (validate(value)) return [];
  return (validate.errors ?? [])
    .slice(0, ERRORS_SHOWN)
    .map(
      ({ instancePath, message = 'is invalid', params }) =>
        `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
    );
};

const mediaType = (type: string): string => type.split(';')[0]?.trim() ?? '';

const bodyViolations = ({ pointer, types }: DocumentedResponse, { headers, body }: SeenResponse): string[] => {
  const given = headers.get('content-type');
  if (types.length === 0) return body === undefined ? [] : ['a body, although none is documented'];
  const type = types.find((one) => one === given || one === mediaType(given ?? ''));
  if (type === undefined) return [`content type ${given ?? 'missing'} instead of ${types.join(' or ')}`];
  if (body === undefined && mediaType(type).endsWith('json')) return ['no body'];
  return schemaViolations(`${pointer}/content/${escapePointer(type)}/schema`, body ?? '');
};

/** Statuses that are only returned after the rate limiter has run; the others may also be returned before. */
const isCounted = (status: number): boolean =>
  status < 400 || [401, 403, 409, 412, 415, 422, 429, 503].includes(status);

const quotaViolations = ({ tier }: DocumentedOperation, { status, headers, uncounted }: SeenResponse): string[] => {
  const quota = { 'ratelimit-policy': /^"(\w+)";q=\d+;w=\d+$/, ratelimit: /^"(\w+)";r=\d+;t=\d+$/ };
  return Object.entries(quota).flatMap(([name, pattern]) => {
    const value = headers.get(name);
    if (value === null) return tier !== 'none' && isCounted(status) && uncounted !== true ? [`no ${name}`] : [];
    return pattern.exec(value)?.[1] === tier ? [] : [`${name} ${value} for tier ${tier}`];
  });
};

const headerViolations = (response: DocumentedResponse, { status, headers, body }: SeenResponse): string[] => {
  const violations: string[] = [];
  const etag = headers.get('etag');
  if ('ETag' in response.headers && !/^"[^"]+"$/.test(etag ?? '')) violations.push(`ETag ${etag ?? 'missing'}`);
  const { code, retryAfter } = (body ?? {}) as { code?: unknown; retryAfter?: unknown };
  if (status === 429 || code === 'UNAVAILABLE') {
    if (headers.get('retry-after') !== String(retryAfter))
      violations.push(`Retry-After ${headers.get('retry-after') ?? 'missing'}`);
  }
  return violations;
};

const UNKNOWN_PATH = { error: 'Not found', code: 'NOT_FOUND' };
const UNKNOWN_METHOD = { error: 'Method not allowed', code: 'METHOD_NOT_ALLOWED' };
const isKnownPath = (address: string): boolean =>
  ['GET', 'POST', 'PUT', 'DELETE'].some((method) => operationFor(method, address) !== undefined);

/** The violations of a response to an undocumented request, which has to be the 404 or the 405 of the API. */
const unknownOperationViolations = ({ method, address, status, body }: SeenResponse): string[] => {
  // Other methods, such as OPTIONS, are answered by the gateway.
  if (!['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].includes(method) || status === 400) return [];
  const expected = isKnownPath(address) ? { status: 405, ...UNKNOWN_METHOD } : { status: 404, ...UNKNOWN_PATH };
  return JSON.stringify({ status, ...(body as object) }) === JSON.stringify(expected)
    ? []
    : [`no such operation, but the body ${JSON.stringify(body)?.slice(0, 200)}`];
};

const isApiPath = (address: string): boolean => {
  const { path } = splitAddress(address);
  return /^\/+(?:api|console|docs)(?:\/|$)/.test(path) || isKnownPath(address);
};

/**
 * Compares a response with the document and records it for the coverage. Unknown paths outside `/api`, `/console` and `/docs` are not checked.
 * @throws {Error} with the operation, the status and the first violations.
 */
export const assertMatchesDocument = (seen: SeenResponse): void => {
  if (!isApiPath(seen.address)) return;
  const { method, address, status, headers } = seen;
  const operation = operationFor(method, address);
  const violations = headers.get('x-request-id') ? [] : ['no x-request-id'];
  if (operation) {
    const response = operation.responses.get(status);
    if (response) {
      recordResponse(operation.id, status, seen.body);
      violations.push(
        ...bodyViolations(response, seen),
        ...headerViolations(response, seen),
        ...quotaViolations(operation, seen),
      );
    } else {
      violations.push(`documented are ${[...operation.responses.keys()].join(', ')}`, JSON.stringify(seen.body));
    }
  } else {
    violations.push(...unknownOperationViolations(seen));
  }
  if (violations.length === 0) return;
  const id = operation?.id ?? 'no operation';
  throw new Error(`${method} ${address.slice(0, 200)} (${id}) returned ${status}: ${violations.join('; ')}`);
};
