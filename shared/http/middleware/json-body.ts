import httpJsonBodyParser from '@middy/http-json-body-parser';
import { header, JSON_BYTES_MAX, type MiddlewareRequest, paramsOf } from '#http/call.ts';
import { invalidInput, payloadTooLarge, unsupportedMediaType } from '#shared/errors.ts';

const PARSER = '@middy/http-json-body-parser';

const isJsonType = (contentType: string | undefined): boolean =>
  /^application\/(?:[a-z0-9.!#$&^_-]+\+)?json(?:\s*;|\s*$)/i.test(contentType ?? '');

/** That of UTF-8. RFC 8259 lets a parser ignore it. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

/** What an error of the parser has as its cause. Its class belongs to @middy/util, which is not a direct dependency. */
interface ParserCause {
  readonly package?: unknown;
  /** The name of a forbidden member, otherwise the body. */
  readonly data?: unknown;
  /** Absent for a forbidden member. */
  readonly message?: string;
}

/** The answer to a body that the parser rejects: prototypes could be reached through some members. */
const rejection = (error: Error): Error => {
  const cause = error.cause as ParserCause | undefined;
  if (cause?.package !== PARSER) return error;
  const isForbidden = cause.message === undefined && typeof cause.data === 'string';
  return invalidInput(
    isForbidden ? `The body has a member "${cause.data}", which is not allowed.` : 'The body is not valid JSON.',
  );
};

/**
 * Checks the size, type and encoding of a JSON body before it is parsed, and turns errors of the parser into 400.
 * @throws 404 for an invalid path variable, 413, 415, 400.
 */
export const acceptJson = {
  before: (request: MiddlewareRequest): void => {
    paramsOf(request);
    const { event } = request;
    if (!event.body) {
      // The parser accepts null for a body that is missing.
      event.body = null;
      return;
    }
    const sent = Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
    const bytes = sent.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
      ? sent.subarray(BYTE_ORDER_MARK.length)
      : sent;
    const { bodyBytesMax = JSON_BYTES_MAX } = request.internal.state.route;
    if (bytes.length > bodyBytesMax) throw payloadTooLarge(bodyBytesMax);
    if (!isJsonType(header(event, 'content-type'))) throw unsupportedMediaType('application/json');
    if (event.isBase64Encoded && !isUtf8(bytes)) throw invalidInput('The body is not valid UTF-8.');
    if (bytes !== sent) event.body = bytes.toString(event.isBase64Encoded ? 'base64' : 'utf8') || null;
    if (event.body) request.internal.state.sentBody = event.body;
  },
  onError: (request: MiddlewareRequest): void => {
    if (request.error) request.error = rejection(request.error);
  },
};

/** Replaces the body of the event by its parsed JSON. `acceptJson` checks the type, in more notations than the parser. */
export const parseJson = httpJsonBodyParser({ disableContentTypeCheck: true });

/** The parsed JSON body; undefined when it is missing or was rejected. */
export const parsedJson = ({ event, internal: { state } }: MiddlewareRequest): unknown =>
  state.sentBody === undefined || event.body === state.sentBody ? undefined : event.body;
