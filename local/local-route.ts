import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Html } from './html.ts';
import type { HttpResponse } from './http-response.ts';

/** A request to a route that only the local server has. */
export interface LocalRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Empty for a route with `streams`. */
  readonly body: Buffer;
  /** The request itself, of which a route with `streams` reads the body. */
  readonly raw: IncomingMessage;
}

/** A route that only the local server has. */
export interface LocalRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With variables in braces, as in the route table. */
  readonly path: `/${string}`;
  /** The body is not read in advance; it may have any size. */
  readonly streams?: true;
  /** @throws {AppError} for an error response in the contract's shape. */
  readonly respond: (request: LocalRequest) => Promise<HttpResponse> | HttpResponse;
}

export const jsonResponse = (body: unknown): HttpResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});

/** An HTML page. Its content security policy allows no scripts and no external resources. */
export const pageResponse = (page: Html): HttpResponse => ({
  status: 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  },
  body: page.markup,
});

/** Whether the `Accept` header names a media type. */
export const accepts = (request: LocalRequest, mediaType: string): boolean =>
  (request.headers.accept ?? '').toLowerCase().includes(mediaType);

/** A positive integer from the query, at most `max`; `fallback` when it is absent or invalid. */
export const countFrom = (query: URLSearchParams, name: string, fallback: number, max: number): number => {
  const given = Number(query.get(name) ?? fallback);
  return Number.isInteger(given) && given > 0 ? Math.min(given, max) : fallback;
};
