import { deleteOrphanedData } from '#data/orphaned-data.ts';
import { subscribe } from '#events/subscribe.ts';
import { finishPurge } from '#events/subscriptions.ts';

export const handler = subscribe(finishPurge, async ({ data }) => {
  await deleteOrphanedData(data.project_id, data.slugs);
});
