import { countSteps } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { countStep } from '#services/analytics/track.ts';

export const handler = subscribe(countSteps, (event) => countStep(event));
