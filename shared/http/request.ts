import httpJsonBodyParser from '@middy/http-json-body-parser';
import { invalidInput, notFound, payloadTooLarge, unsupportedMediaType } from '#shared/errors.ts';
import { type GateRequest, header, type SignedBody } from './call.ts';

/** What a request brings, before any schema has looked at it. */

/** The largest JSON body, in bytes. */
const JSON_BYTES_MAX = 256 * 1024;

/** Longer than any id or slug; DynamoDB refuses keys beyond 2048 bytes. */
const PARAMETER_MAX = 200;

const parser = httpJsonBodyParser();

const isJsonType = (contentType: string | undefined): boolean =>
  /^application\/(?:[a-z0-9.!#$&^_-]+\+)?json(?:\s*;|\s*$)/i.test(contentType ?? '');

/** The variables of the path. @throws 404 for what cannot be the name of anything. */
export const paramsOf = ({ event }: GateRequest): Record<string, string> => {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(event.pathParameters ?? {})) {
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

/** The bytes as they were sent: a signature is over these and over no other spelling of the same. */
export const signedBody = ({ event }: GateRequest): SignedBody => {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > JSON_BYTES_MAX) throw payloadTooLarge(JSON_BYTES_MAX);
  return { bytes, signature: header(event, 'stripe-signature') };
};

/** The parsed JSON of the body; undefined when there is no body. @throws 413, 415, 400. */
export const jsonOf = (request: GateRequest): unknown => {
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
    if (error instanceof Error && 'statusCode' in error) throw invalidInput('The body is not valid JSON.');
    throw error;
  }
  return parsed.body;
};

/** The parsed JSON of the body as far as it can be read: for questions that come before the input is checked. */
export const readableJson = (request: GateRequest): unknown => {
  try {
    return jsonOf(request);
  } catch {
    // The input gate says what is wrong with it, to those who may know.
    return undefined;
  }
};
