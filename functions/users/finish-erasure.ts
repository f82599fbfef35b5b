import { ERASURE_BUDGET_MS, remainsPorts } from '#data/erasure.ts';
import { finishErasure as finish } from '#domain/users/erase.ts';
import { subscribe } from '#events/subscribe.ts';
import { finishErasure } from '#events/subscriptions.ts';

export const handler = subscribe(finishErasure, remainsPorts, ({ data }, ports) =>
  finish(ports, data, ERASURE_BUDGET_MS),
);
