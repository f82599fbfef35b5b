import type { GateRequest } from '#http/call.ts';
import { notFound } from '#shared/errors.ts';

/** A route of a switched-off feature does not exist, for anybody, before any other check. */
export const feature = {
  before: ({ internal: { state } }: GateRequest): void => {
    if (state.route.feature && !state.settings.features[state.route.feature]) throw notFound();
  },
};
