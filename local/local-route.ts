import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './answer.ts';
import type { Html } from './html.ts';

/** A request to a part that only the single-machine world has. */
export interface LocalRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A route that only the single-machine world has; paths are written as in the route table. */
export interface LocalRoute {
  readonly method: 'GET' | 'POST';
  readonly path: `/${string}`;
  /** A thrown `AppError` is answered in the contract's shape. */
  readonly answer: (request: LocalRequest) => Promise<Answer> | Answer;
}

/** An answer in JSON. */
export const jsonAnswer = (body: unknown): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});

/** A page; the policy forbids it to load anything from anywhere and to run any script. */
export const pageAnswer = (page: Html): Answer => ({
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

/** Whether the caller's `Accept` names a media type. */
export const accepts = (request: LocalRequest, mediaType: string): boolean =>
  (request.headers.accept ?? '').toLowerCase().includes(mediaType);

/** A whole number from the query, kept within bounds. */
export const countFrom = (query: URLSearchParams, name: string, fallback: number, max: number): number => {
  const given = Number(query.get(name) ?? fallback);
  return Number.isInteger(given) && given > 0 ? Math.min(given, max) : fallback;
};
