import { deleteOrphanedData } from '#data/orphaned-data.ts';
import { finishPurge } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';

export const handler = subscribe(finishPurge, async ({ data }) => {
  await deleteOrphanedData(data.project_id, data.slugs);
});
