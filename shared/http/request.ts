import httpJsonBodyParser from '@middy/http-json-body-parser';
import { invalidInput, notFound, payloadTooLarge, unsupportedMediaType } from '#shared/errors.ts';
import { header, type MiddlewareRequest, type SignedBody } from './call.ts';

/** The largest JSON body, in bytes. */
const JSON_BYTES_MAX = 256 * 1024;

/** Longer than any id or slug; DynamoDB rejects keys beyond 2048 bytes. */
const PARAMETER_MAX = 200;

const parser = httpJsonBodyParser();

const isJsonType = (contentType: string | undefined): boolean =>
  /^application\/(?:[a-z0-9.!#$&^_-]+\+)?json(?:\s*;|\s*$)/i.test(contentType ?? '');

/** The value of a path variable, which a REST API delivers percent-encoded. */
const decoded = (encoded: string): string | undefined => {
  try {
    return decodeURIComponent(encoded);
  } catch {
    // Not UTF-8, or an incomplete escape.
    return undefined;
  }
};

/** The path variables, decoded. @throws 404 for values that cannot be an id or a slug. */
export const paramsOf = ({ event }: MiddlewareRequest): Record<string, string> => {
  const params: Record<string, string> = {};
  for (const [name, encoded] of Object.entries(event.pathParameters ?? {})) {
    const value = decoded(encoded ?? '');
    if (!value || value.length > PARAMETER_MAX || !value.isWellFormed()) throw notFound();
    params[name] = value;
  }
  return params;
};

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

/** The raw body bytes, which the signature covers. @throws 413. */
export const signedBody = ({ event }: MiddlewareRequest): SignedBody => {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > JSON_BYTES_MAX) throw payloadTooLarge(JSON_BYTES_MAX);
  return { bytes, signature: header(event, 'stripe-signature') };
};

/** The parsed JSON of the body; undefined when there is no body. @throws 413, 415, 400. */
export const jsonOf = (request: MiddlewareRequest): unknown => {
  const { event } = request;
  if (event.body === null || event.body === undefined || event.body === '') return undefined;
  const bytes = Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > JSON_BYTES_MAX) throw payloadTooLarge(JSON_BYTES_MAX);
  const contentType = header(event, 'content-type');
  if (!isJsonType(contentType)) throw unsupportedMediaType('application/json');
  if (event.isBase64Encoded && !isUtf8(bytes)) throw invalidInput('The body is not valid UTF-8.');
  const parsed = { ...event, headers: { 'content-type': 'application/json' } };
  try {
    parser.before?.({ ...request, event: parsed });
  } catch (error) {
    // The parser's error class belongs to @middy/util, which is not a direct dependency.
    if (error instanceof Error && 'statusCode' in error) throw invalidInput('The body is not valid JSON.');
    throw error;
  }
  return parsed.body;
};

/** The parsed JSON body; undefined when it is missing or malformed. For checks that precede input validation. */
export const readableJson = (request: MiddlewareRequest): unknown => {
  try {
    return jsonOf(request);
  } catch {
    // Reported later by the input middleware, to callers with permission.
    return undefined;
  }
};
