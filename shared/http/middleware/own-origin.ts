import { header, type MiddlewareRequest } from '#http/call.ts';
import type { RouteMiddleware } from '#http/middleware.ts';
import { forbidden } from '#shared/errors.ts';

/**
 * Rejects requests that a page of another origin makes a browser send, with or without a credential: 403. Programs send no
 * `Origin`. Permitted are the origin of the service, that of the site, and the configured ones.
 */
export const ownOrigin: RouteMiddleware = {
  name: 'ownOrigin',
  runsAfter: 'rate',
  before: ({ event, internal: { state } }: MiddlewareRequest): void => {
    const sent = header(event, 'origin');
    if (sent === undefined) return;
    const { allowedOrigins, siteUrl } = state.environment;
    const origin = URL.parse(sent);
    const isOwn =
      origin !== null && (origin.host === header(event, 'host') || origin.origin === URL.parse(siteUrl)?.origin);
    if (!isOwn && !allowedOrigins.includes(sent)) throw forbidden();
  },
};
