import { settleSlug } from '#domain/categories/carry-over.ts';
import { subscribe } from '#events/subscribe.ts';
import { finishCategoryChange } from '#events/subscriptions.ts';
import { finishPorts } from '#ports/categories.ts';

export const handler = subscribe(finishCategoryChange, finishPorts, (task, ports) =>
  settleSlug(ports, task.kind === 'categoryRemoved' ? task.data.slug : task.data.from),
);
