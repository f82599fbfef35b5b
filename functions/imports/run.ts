import { runImport } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { runImport as run } from '#services/imports/run.ts';

export const handler = subscribe(runImport, ({ actor_id: actorId, data }) => run(data.import_id, actorId ?? ''));
