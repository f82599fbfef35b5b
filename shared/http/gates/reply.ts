import { Readable } from 'node:stream';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { type GateRequest, header, type Reply } from '#http/call.ts';
import { digest, type Encoded, encode } from '#http/encoded.ts';

const isKnown = (ifNoneMatch: string | undefined, tag: string): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === `"${tag}"`);

const cacheControl = (cacheSeconds: number | undefined, auth: string): string => {
  if (cacheSeconds === 0) return 'no-store';
  if (cacheSeconds !== undefined) return `public, max-age=${cacheSeconds}`;
  return auth === 'public' ? 'no-cache' : 'private, no-cache';
};

/** Writes the answer, with its tag; who has it already is told so. */
export const reply = {
  after: (request: GateRequest): void => {
    const { state } = request.internal;
    const { route } = state;
    if (state.kept) {
      request.response = state.kept;
      return;
    }
    const answer = request.response as unknown as Reply | undefined;
    if (!answer) throw new Error(`${route.id} did not answer.`);
    const schema = route.replies[answer.status];
    if (!schema) throw new Error(`${route.id} answered ${answer.status}, which its contract does not list.`);

    const head = { 'cache-control': cacheControl(route.cacheSeconds, route.auth), ...answer.headers };
    if ('stream' in answer && 'stream' in schema) {
      request.response = {
        statusCode: answer.status,
        headers: { ...head, 'content-type': schema.contentType },
        body: Readable.from(answer.stream),
      } as unknown as APIGatewayProxyResult;
      return;
    }

    let contentType = 'application/json; charset=utf-8';
    let encoded: Encoded;
    if ('encoded' in answer) {
      encoded = answer.encoded;
    } else if ('text' in answer && 'stream' in schema) {
      encoded = { text: answer.text, tag: answer.tag ?? digest(answer.text) };
      contentType = schema.contentType;
    } else if ('body' in answer) {
      encoded = encode(route, answer.status, answer.body, answer.tag);
    } else {
      throw new Error(`${route.id} answered ${answer.status} in another form than its contract says.`);
    }

    const { text, tag } = encoded;
    const headers = { ...head, etag: `"${tag}"` };
    if (route.method === 'GET' && answer.status === 200 && isKnown(header(request.event, 'if-none-match'), tag)) {
      request.response = { statusCode: 304, headers, body: '' };
      return;
    }
    request.response = { statusCode: answer.status, headers: { ...headers, 'content-type': contentType }, body: text };
  },
};
