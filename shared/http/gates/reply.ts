import { Readable } from 'node:stream';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Route } from '#contract/route.ts';
import { type GateRequest, header, type Reply } from '#http/call.ts';
import { digest, type Encoded, encode } from '#http/encoded.ts';
import { invalidField } from '#shared/errors.ts';

const isKnown = (ifNoneMatch: string | undefined, tag: string): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === `"${tag}"`);

const cacheControl = (cacheSeconds: number | undefined, auth: string): string => {
  if (cacheSeconds === 0) return 'no-store';
  if (cacheSeconds !== undefined) return `public, max-age=${cacheSeconds}`;
  return auth === 'public' ? 'no-cache' : 'private, no-cache';
};

/** What a function can return, in bytes: Lambda's 6 MB, less what is said beside the body. */
const ANSWER_BYTES_MAX = 6_000_000;
/** How many of them a character takes at most: the body is written into what is returned as a text of its own. */
const CHARACTER_BYTES_MAX = 3;

/**
 * An answer that Lambda would not take is a failure that nobody understands; who can ask for fewer items is told to.
 * @throws 400 on `limit`, and an error of ours where there is no less to ask for.
 */
const mustFit = ({ id, query }: Route, text: string): void => {
  if (text.length * CHARACTER_BYTES_MAX <= ANSWER_BYTES_MAX) return;
  const bytes = Buffer.byteLength(JSON.stringify(text));
  if (bytes <= ANSWER_BYTES_MAX) return;
  const { data } = JSON.parse(text) as { data?: unknown };
  const fitting = Array.isArray(data) ? Math.floor((data.length * ANSWER_BYTES_MAX) / bytes) : 0;
  if (fitting < 1 || !query || !('limit' in query.shape)) throw new Error(`${id} answered more than can be sent.`);
  throw invalidField(['limit'], `must be at most ${fitting} here: an answer holds no more of these items`);
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
    if ('body' in answer || 'encoded' in answer) mustFit(route, text);
    request.response = { statusCode: answer.status, headers: { ...headers, 'content-type': contentType }, body: text };
  },
};
