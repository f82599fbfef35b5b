import httpJsonBodyParser from '@middy/http-json-body-parser';
import { checked } from '#contract/checked.ts';
import { type GateRequest, header, type SignedBody } from '#http/call.ts';
import { invalidInput, notFound, payloadTooLarge, unsupportedMediaType } from '#shared/errors.ts';

/** The largest JSON body, in bytes. */
const JSON_BYTES_MAX = 256 * 1024;

/** Longer than any id or slug; DynamoDB refuses keys beyond 2048 bytes. */
const PARAMETER_MAX = 200;

const parser = httpJsonBodyParser();

const isJsonType = (contentType: string | undefined): boolean =>
  /^application\/(?:[a-z0-9.!#$&^_-]+\+)?json(?:\s*;|\s*$)/i.test(contentType ?? '');

const paramsOf = ({ event }: GateRequest): Record<string, string> => {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(event.pathParameters ?? {})) {
    // What cannot be the name of anything is not found.
    if (!value || value.length > PARAMETER_MAX || !value.isWellFormed()) throw notFound();
    params[name] = value;
  }
  return params;
};

const queryOf = ({ event, internal: { state } }: GateRequest): unknown => {
  const schema = state.route.query;
  if (!schema) return undefined;
  const given = event.multiValueQueryStringParameters ?? {};
  const known: Record<string, unknown> = {};
  for (const name of Object.keys(schema.shape)) {
    const values = Object.hasOwn(given, name) ? given[name] : undefined;
    if (values && values.length > 0) known[name] = values.length === 1 ? values[0] : values;
  }
  return checked(schema, known);
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
const signedBody = ({ event }: GateRequest): SignedBody => {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > JSON_BYTES_MAX) throw payloadTooLarge(JSON_BYTES_MAX);
  return { bytes, signature: header(event, 'stripe-signature') };
};

/** The parsed JSON of the body; undefined when there is no body. */
const jsonOf = (request: GateRequest): unknown => {
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

const tagsOf = (value: string | undefined): readonly string[] | undefined =>
  value?.split(',').map((tag) => tag.trim().replace(/^(?:W\/)?"(.*)"$/, '$1'));

/** Reads parameters, query and body and checks them against the route's schemas. */
export const input = {
  before: async (request: GateRequest): Promise<void> => {
    const { state } = request.internal;
    const { route } = state;
    const params = paramsOf(request);
    let body: unknown;
    if (route.auth === 'signature') {
      body = signedBody(request);
    } else if (route.bodyKind === 'multipart') {
      // Only the functions that take files carry the parser for them.
      const parse = state.readMultipart;
      if (!parse) throw new Error(`${route.id} takes multipart bodies, but its door was not given the parser.`);
      body = await parse(request.event);
    } else if (route.body) {
      body = jsonOf(request);
    }
    const query = queryOf(request);
    if (route.body) body = checked(route.body, body);
    const ifMatch = route.ifMatch ? tagsOf(header(request.event, 'if-match')) : undefined;
    state.input = { params, query, body, ifMatch };
  },
};
