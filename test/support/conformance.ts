import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { splitAddress } from '#local/router.ts';
import { noteAnswer } from './answers-seen.ts';
import { type DocumentedOperation, type DocumentedResponse, document, operationFor, step } from './operations.ts';

/** Holds every answer that a test sees to what the document says of it. */

/** What was asked and what came back. */
export interface SeenAnswer {
  readonly method: string;
  /** As it was sent. */
  readonly address: string;
  readonly status: number;
  readonly headers: Headers;
  /** Parsed if it is JSON, as text if not, undefined if there is none. */
  readonly body: unknown;
  /** The test keeps the limiter from counting, so no quota can be told. */
  readonly uncounted?: boolean;
}

const ERRORS_SHOWN = 3;

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(document, 'document');
const validators = new Map<string, ValidateFunction>();

/** The complaints about a value, most telling first; none when it fits the schema that stands there. */
const complaintsOf = (pointer: string, value: unknown): string[] => {
  let validate = validators.get(pointer);
  if (!validate) {
    // A pointer within an address is percent-encoded: braces and percent signs are not allowed in one.
    const $ref = `document#${pointer.split('/').map(encodeURIComponent).join('/')}`;
    validate = ajv.compile({ $ref });
    validators.set(pointer, validate);
  }
  if (validate(value)) return [];
  return (validate.errors ?? [])
    .slice(0, ERRORS_SHOWN)
    .map(
      ({ instancePath, message = 'is wrong', params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
    );
};

const mediaType = (type: string): string => type.split(';')[0]?.trim() ?? '';

const bodyComplaints = ({ pointer, types }: DocumentedResponse, { headers, body }: SeenAnswer): string[] => {
  const given = headers.get('content-type');
  if (types.length === 0) return body === undefined ? [] : ['it has a body, and none is documented'];
  const type = types.find((one) => one === given || one === mediaType(given ?? ''));
  if (type === undefined) return [`its type is ${given ?? 'missing'} in place of ${types.join(' or ')}`];
  if (body === undefined && mediaType(type).endsWith('json')) return ['it has no body'];
  return complaintsOf(`${pointer}/content/${step(type)}/schema`, body ?? '');
};

/** Statuses that come from behind the limiter, whoever gives them. The others may come from before it as well. */
const isCounted = (status: number): boolean =>
  status < 400 || [401, 403, 409, 412, 415, 422, 429, 503].includes(status);

const quotaComplaints = ({ tier }: DocumentedOperation, { status, headers, uncounted }: SeenAnswer): string[] => {
  const quota = { 'ratelimit-policy': /^"(\w+)";q=\d+;w=\d+$/, ratelimit: /^"(\w+)";r=\d+;t=\d+$/ };
  return Object.entries(quota).flatMap(([name, pattern]) => {
    const value = headers.get(name);
    if (value === null) return tier !== 'none' && isCounted(status) && uncounted !== true ? [`it has no ${name}`] : [];
    return pattern.exec(value)?.[1] === tier ? [] : [`its ${name} is ${value}, and the tier is ${tier}`];
  });
};

const headComplaints = (response: DocumentedResponse, { status, headers, body }: SeenAnswer): string[] => {
  const complaints: string[] = [];
  const tag = headers.get('etag');
  if ('ETag' in response.headers && !/^"[^"]+"$/.test(tag ?? '')) complaints.push(`its ETag is ${tag ?? 'missing'}`);
  if (status === 429) {
    const { retryAfter } = body as { retryAfter?: unknown };
    if (headers.get('retry-after') !== String(retryAfter))
      complaints.push(`its Retry-After is ${headers.get('retry-after') ?? 'missing'}`);
  }
  return complaints;
};

const UNKNOWN = { error: 'Not found', code: 'NOT_FOUND' };

/** What is wrong with an answer to a request that the document does not know. */
const unknownComplaints = ({ method, status, body }: SeenAnswer): string[] => {
  // Other methods than these are the browser's or the server's business.
  if (!['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].includes(method) || status === 400) return [];
  return status === 404 && JSON.stringify(body) === JSON.stringify(UNKNOWN)
    ? []
    : [`there is no such operation, and it was answered ${JSON.stringify(body)?.slice(0, 200)}`];
};

const isOfTheInterface = (address: string): boolean => /^\/+api(?:\/|$)/.test(splitAddress(address).path);

/**
 * Holds an answer to the document and notes that it was seen. What the document does not describe and is not under `/api`
 * is left alone.
 * @throws {Error} with the operation, the status and the first complaints.
 */
export const holdToDocument = (seen: SeenAnswer): void => {
  if (!isOfTheInterface(seen.address)) return;
  const { method, address, status, headers } = seen;
  const operation = operationFor(method, address);
  const complaints = headers.get('x-request-id') ? [] : ['it has no x-request-id'];
  if (operation) {
    const response = operation.responses.get(status);
    if (response) {
      noteAnswer(operation.id, status, seen.body);
      complaints.push(
        ...bodyComplaints(response, seen),
        ...headComplaints(response, seen),
        ...quotaComplaints(operation, seen),
      );
    } else {
      complaints.push(`the document lists ${[...operation.responses.keys()].join(', ')}`, JSON.stringify(seen.body));
    }
  } else {
    complaints.push(...unknownComplaints(seen));
  }
  if (complaints.length === 0) return;
  const who = operation?.id ?? 'no operation';
  throw new Error(`${method} ${address.slice(0, 200)} (${who}) answered ${status}: ${complaints.join('; ')}`);
};
