import { track } from '#contract/analytics.ts';
import { trackEvents } from '#domain/analytics/track.ts';
import { accepted, handle } from '#http/handle.ts';
import { trackPorts } from '#ports/analytics.ts';

export const handler = handle(track, trackPorts, async ({ body, visitor }, ports) =>
  accepted({ data: { accepted: await trackEvents(ports, body, visitor) } }),
);
