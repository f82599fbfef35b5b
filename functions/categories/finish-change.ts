import { subscribe } from '#events/subscribe.ts';
import { finishCategoryChange } from '#events/subscriptions.ts';
import { finishSlugChange } from '#services/categories/propagate-slug.ts';

export const handler = subscribe(finishCategoryChange, (task) =>
  task.kind === 'categoryRenamed'
    ? finishSlugChange(task.data.from)
    : finishSlugChange(task.data.slug, task.data.batch_id),
);
