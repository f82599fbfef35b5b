import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Route } from '#contract/route.ts';
import { header, type MiddlewareRequest, type RouteResponse } from '#http/call.ts';
import { ContractViolation, type Encoded, encode } from '#http/response-body.ts';
import { digest, recordTag } from '#model/entity-tag.ts';
import { bytesInResponse, fitsInResponse } from '#model/response-size.ts';

/** A response that exceeds Lambda's limit. Lists are cut before: `test/invariants/response-sizes.test.ts`. */
class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
}

const matches = (ifNoneMatch: string | undefined, tag: string): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch.split(',').some((entry) => entry.trim() === '*' || entry.trim().replace(/^W\//, '') === `"${tag}"`);

/**
 * Responses to a known caller may hold personal data, so no cache stores them. Anonymous ones are revalidated, unless
 * the route permits shared caches to keep them.
 */
const cacheControl = ({ method, auth, cacheSeconds }: Route, isSignedIn: boolean): string => {
  if (cacheSeconds) return `public, max-age=${cacheSeconds}`;
  if (cacheSeconds === 0 || method !== 'GET' || isSignedIn) return 'no-store';
  if (auth === 'public') return 'no-cache';
  return auth === 'optional' ? 'private, no-cache' : 'no-store';
};

/** @throws {@link ResponseTooLarge} for a body that Lambda could not return. */
const checkSize = ({ id }: Route, text: string): void => {
  if (!fitsInResponse(text)) throw new ResponseTooLarge(`${id} returned a body of ${bytesInResponse(text)} bytes.`);
};

/** Serializes the handler's response, with its ETag; 304 when `If-None-Match` matches. */
export const response = {
  after: (request: MiddlewareRequest): void => {
    const { state } = request.internal;
    const { route } = state;
    if (state.storedResponse) {
      request.response = state.storedResponse;
      return;
    }
    const result = request.response as unknown as RouteResponse | undefined;
    if (!result) throw new ContractViolation(`${route.id} returned no response.`);
    const schema = route.responses[result.status];
    if (!schema) throw new ContractViolation(`${route.id} returned the undeclared status ${result.status}.`);

    const head = { 'cache-control': cacheControl(route, state.user !== undefined), ...result.headers };
    if ('stream' in result && 'stream' in schema) {
      request.response = {
        statusCode: result.status,
        headers: { ...head, 'content-type': schema.contentType },
        body: result.stream,
      } as unknown as APIGatewayProxyResult;
      return;
    }

    let contentType = 'application/json; charset=utf-8';
    let encoded: Encoded;
    if ('encoded' in result) {
      encoded = result.encoded;
    } else if ('text' in result && 'stream' in schema) {
      encoded = { text: result.text, tag: result.tag ?? digest(result.text) };
      contentType = result.contentType ?? schema.contentType;
    } else if ('body' in result) {
      encoded = encode(route, result.status, result.body);
    } else {
      throw new ContractViolation(
        `${route.id} returned a response for ${result.status} that does not match its contract.`,
      );
    }

    const { text } = encoded;
    const tag = result.version === undefined ? encoded.tag : recordTag(result.version, encoded.tag);
    const headers = { ...head, etag: `"${tag}"` };
    if (route.method === 'GET' && result.status === 200 && matches(header(request.event, 'if-none-match'), tag)) {
      request.response = { statusCode: 304, headers, body: '' };
      return;
    }
    checkSize(route, text);
    request.response = {
      statusCode: result.status,
      headers: { ...headers, 'content-type': contentType },
      ...(result.cookies && { multiValueHeaders: { 'set-cookie': [...result.cookies] } }),
      body: text,
    };
  },
};
