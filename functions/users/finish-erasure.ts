import { subscribe } from '#events/subscribe.ts';
import { finishErasure } from '#events/subscriptions.ts';
import { finishErasure as finish } from '#services/users/erase.ts';

export const handler = subscribe(finishErasure, ({ data }) => finish(data));
