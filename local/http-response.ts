import type { FastifyReply, FastifyRequest } from 'fastify';
import { corsHeaders } from '#http/middleware/headers.ts';
import { preferredEncoding } from '#http/preferred-encoding.ts';
import { environment } from '#platform/environment.ts';
import type { AppError } from '#shared/errors.ts';
import { COMPRESS_ABOVE, compress, ENCODINGS, isCompressible } from './compression.ts';

/** A complete HTTP response. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer;
}

/** A response in the contract's error shape, for failures outside the handlers. */
export const errorResponse = (error: AppError, requestId: string, origin?: string): HttpResponse => ({
  status: error.status,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    ...(origin !== undefined && corsHeaders(origin, environment().allowedOrigins)),
  },
  body: JSON.stringify(error.body),
});

/** Appends a name to a `Vary` header. */
const addVary = (vary: string | readonly string[] | undefined, name: string): string =>
  [...new Set([...[vary ?? []].flat().flatMap((one) => one.split(', ')), name])].join(', ');

const hasBody = (status: number): boolean => status >= 200 && status !== 204 && status !== 304;

const isLarge = (body: string | Buffer): boolean =>
  body.length > COMPRESS_ABOVE || Buffer.byteLength(body) > COMPRESS_ABOVE;

/** Sends a response, compressed when the client accepts it and the body is large enough. The ETag is unchanged. */
export const sendResponse = async (
  request: FastifyRequest,
  reply: FastifyReply,
  { status, ...response }: HttpResponse,
): Promise<void> => {
  const headers: Record<string, string | readonly string[]> = { ...response.headers };
  let { body } = response;
  if (isLarge(body) && isCompressible(String(headers['content-type'])) && !headers['content-encoding']) {
    headers.vary = addVary(headers.vary, 'Accept-Encoding');
    const encoding = preferredEncoding(request.headers['accept-encoding']?.toString(), ENCODINGS);
    if (encoding) {
      headers['content-encoding'] = encoding;
      body = await compress(typeof body === 'string' ? Buffer.from(body) : body, encoding);
    }
  }
  // Written directly, because Fastify would add a content type of its own where the handler set none.
  reply.hijack();
  if (reply.raw.destroyed) return;
  // A handler answers HEAD without the body whose length would have to be sent.
  const isHead = request.method === 'HEAD';
  if (hasBody(status) && !(isHead && body.length === 0)) headers['content-length'] = String(Buffer.byteLength(body));
  reply.raw.writeHead(status, headers as Record<string, string | string[]>);
  reply.raw.end(hasBody(status) && !isHead ? body : undefined);
};
