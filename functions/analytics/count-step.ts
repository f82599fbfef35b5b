import { countStep } from '#domain/analytics/funnel.ts';
import { subscribe } from '#events/subscribe.ts';
import { countSteps } from '#events/subscriptions.ts';
import { stepPorts } from '#ports/analytics.ts';

export const handler = subscribe(countSteps, stepPorts, async (event, ports) => {
  await countStep(ports, event);
});
