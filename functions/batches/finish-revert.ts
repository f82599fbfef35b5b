import { finishRevert } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { finishRevert as finish } from '#services/projects/revert-batch.ts';

export const handler = subscribe(finishRevert, ({ data }) => finish(data.batch_id));
