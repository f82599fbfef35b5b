import { removeLeftovers } from '#data/leftovers.ts';
import { subscribe } from '#events/subscribe.ts';
import { finishPurge } from '#events/subscriptions.ts';

export const handler = subscribe(finishPurge, { removeLeftovers }, async ({ data }, ports) => {
  await ports.removeLeftovers(data.project_id, data.slugs);
});
