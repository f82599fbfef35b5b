import { finishPurge } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { finishPurge as deleteRest } from '#services/projects/purge-deleted.ts';

export const handler = subscribe(finishPurge, ({ data }) => deleteRest(data.project_id, data.slugs));
