import { visitorHash } from '#data/tracked-events.ts';
import type { TrackedBatch, VisitorSignals } from '#model/analytics.ts';
import { dayOf, hourOf } from '#model/days.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';

/**
 * When and by whom the events of a request were sent.
 * @param deduplicatesOnly the visitor is not counted, also without having opted out. A separate hash, so that it cannot
 * be linked to that of a counted visitor.
 */
export const senderOf = async (
  { network = '', userAgent = '', optsOut }: VisitorSignals,
  deduplicatesOnly = false,
): Promise<Pick<TrackedBatch, 'id' | 'day' | 'hour' | 'visitor' | 'counted' | 'done'>> => {
  const at = now();
  const day = dayOf(at);
  const counted = !optsOut && !deduplicatesOnly;
  const signals = counted ? [network, userAgent] : [network, userAgent, 'not counted'];
  return { id: newId('trk'), day, hour: hourOf(at), visitor: await visitorHash(day, signals), counted, done: 0 };
};
