import type { Message } from '#events/catalogue.ts';
import { dayOf } from './days.ts';

/** The steps of a submission that the service counts itself. */
export type Step = 'submitted' | 'paid' | 'approved';

/** How often each step was taken on one day. */
export interface FunnelDay extends Readonly<Record<Step, number>> {
  readonly day: string;
}

/** The events that are steps. */
export type StepEvent = Message<'projectSubmitted' | 'paymentSettled' | 'projectApproved'>;

/** What counting steps takes. */
export interface StepPorts {
  /** Counts a step, of one event once. */
  readonly addStep: (step: {
    readonly eventId: string;
    readonly day: string;
    readonly step: Step;
    readonly projectId: string | null;
  }) => Promise<void>;
}

const stepOf = (event: StepEvent): Step | undefined => {
  if (event.kind === 'projectSubmitted') return 'submitted';
  if (event.kind === 'projectApproved') return 'approved';
  // A promotion is bought for what has been approved long ago.
  return event.data.purpose === 'promotion' ? undefined : 'paid';
};

/** Counts a submission, its payment or its approval on the day that it happened. */
export const countStep = async (ports: StepPorts, event: StepEvent): Promise<void> => {
  const step = stepOf(event);
  if (!step) return;
  const { id: eventId, occurred_at, data } = event;
  await ports.addStep({ eventId, day: dayOf(occurred_at), step, projectId: data.project_id });
};
