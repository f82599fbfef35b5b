import { finishErasure } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { finishErasure as finish } from '#services/users/erase.ts';

export const handler = subscribe(finishErasure, ({ data }) => finish(data));
