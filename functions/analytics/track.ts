import { track } from '#contract/analytics.ts';
import { accepted, handle } from '#http/handle.ts';
import { trackEvents } from '#services/analytics/track.ts';

export const handler = handle(track, async ({ body, visitor }) =>
  accepted({ data: { accepted: await trackEvents(body, visitor) } }),
);
