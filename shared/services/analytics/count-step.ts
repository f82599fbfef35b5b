import { countFunnelStep } from '#data/analytics.ts';
import type { Message } from '#events/catalogue.ts';
import type { FunnelStep } from '#model/analytics.ts';
import { dayOf } from '#model/days.ts';

/** The events that are steps of the funnel. */
export type StepEvent = Message<'projectSubmitted' | 'paymentSettled' | 'projectApproved'>;

const stepOf = (event: StepEvent): FunnelStep | undefined => {
  if (event.kind === 'projectSubmitted') return 'submitted';
  if (event.kind === 'projectApproved') return 'approved';
  // Promotions are bought for projects that have been approved before.
  return event.data.purpose === 'promotion' ? undefined : 'paid';
};

/** Counts a submission, its payment or its approval on the day of the event. */
export const countStep = async (event: StepEvent): Promise<void> => {
  const step = stepOf(event);
  if (!step) return;
  const { id: eventId, occurred_at, data } = event;
  await countFunnelStep({ eventId, day: dayOf(occurred_at), step, projectId: data.project_id });
};
