import { subscribe } from '#events/subscribe.ts';
import { countSteps } from '#events/subscriptions.ts';
import { countStep } from '#services/analytics/count-step.ts';

export const handler = subscribe(countSteps, (event) => countStep(event));
