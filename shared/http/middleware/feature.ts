import type { MiddlewareRequest } from '#http/call.ts';
import { notFound } from '#shared/errors.ts';

/** Responds with 404 on routes of a disabled feature, before any other check and to every caller. */
export const feature = {
  before: ({ internal: { state } }: MiddlewareRequest): void => {
    if (state.route.feature && !state.settings.features[state.route.feature]) throw notFound();
  },
};
