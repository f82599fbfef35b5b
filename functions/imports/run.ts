import { subscribe } from '#events/subscribe.ts';
import { runImport } from '#events/subscriptions.ts';
import { runImport as run } from '#services/imports/run.ts';

export const handler = subscribe(runImport, ({ actor_id: actorId, data }) => run(data.import_id, actorId ?? ''));
