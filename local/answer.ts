import type { IncomingMessage, ServerResponse } from 'node:http';
import { corsHeaders } from '#http/cors.ts';
import { settings } from '#platform/settings.ts';
import type { AppError } from '#shared/errors.ts';
import { COMPRESS_ABOVE, chooseEncoding, compress, isCompressible } from './compression.ts';
import { bytesOf, type WireForm } from './known-bodies.ts';

/** An answer that is ready to be sent. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer;
}

/** An answer of the contract's shape for what goes wrong outside the handlers. */
export const failureAnswer = (error: AppError, requestId: string, origin?: string): Answer => ({
  status: error.status,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    ...(origin !== undefined && corsHeaders(origin, settings().allowedOrigins)),
  },
  body: JSON.stringify(error.body),
});

/** `Vary` with one more name in it. */
export const alsoVaries = (vary: string | readonly string[] | undefined, name: string): string =>
  [...[vary ?? []].flat(), name].join(', ');

const hasBody = (status: number): boolean => status >= 200 && status !== 204 && status !== 304;

const inForm = async (body: string | Buffer, form: WireForm): Promise<Buffer> => {
  if (typeof body === 'string') return await bytesOf(body, form);
  return form === 'identity' ? body : await compress(body, form);
};

/** Sends an answer, compressed where the caller accepts it and it is worth it. The tag stays as it is. */
export const send = async (request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> => {
  const headers: Record<string, string | readonly string[]> = { ...answer.headers };
  let { body } = answer;
  const isLarge = Buffer.byteLength(body) > COMPRESS_ABOVE;
  if (isLarge && isCompressible(String(headers['content-type'])) && !headers['content-encoding']) {
    headers.vary = alsoVaries(headers.vary, 'Accept-Encoding');
    const encoding = chooseEncoding(request.headers['accept-encoding']?.toString());
    if (encoding) headers['content-encoding'] = encoding;
    body = await inForm(body, encoding ?? 'identity');
  }
  if (response.destroyed) return;
  if (hasBody(answer.status)) headers['content-length'] = String(Buffer.byteLength(body));
  response.writeHead(answer.status, headers as Record<string, string | string[]>);
  response.end(hasBody(answer.status) ? body : undefined);
};
