import { subscribe } from '#events/subscribe.ts';
import { finishCategoryChange } from '#events/subscriptions.ts';
import { finishSlugChange } from '#services/categories/propagate-slug.ts';

export const handler = subscribe(finishCategoryChange, (task) =>
  task.kind === 'categoryRemoved'
    ? finishSlugChange(task.data.slug, task.data.batch_id)
    : finishSlugChange(task.data.from),
);
