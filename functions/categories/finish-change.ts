import { subscribe } from '#events/subscribe.ts';
import { finishCategoryChange } from '#events/subscriptions.ts';
import { inTask, releaseSlug } from '#services/categories/propagate-slug.ts';

export const handler = subscribe(finishCategoryChange, (task) =>
  releaseSlug(task.kind === 'categoryRemoved' ? task.data.slug : task.data.from, inTask),
);
