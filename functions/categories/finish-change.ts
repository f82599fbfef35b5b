import { finishCategoryChange } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { finishSlugChange } from '#services/categories/propagate-slug.ts';

export const handler = subscribe(finishCategoryChange, (task) =>
  task.kind === 'categoryRenamed'
    ? finishSlugChange(task.data.from)
    : finishSlugChange(task.data.slug, task.data.batch_id),
);
