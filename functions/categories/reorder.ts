import { reorder } from '#contract/categories.ts';
import { catalog } from '#data/catalog.ts';
import { handle, ok } from '#http/handle.ts';
import { reorderCategories } from '#services/categories/manage.ts';
import { listCategories } from '#services/categories/view.ts';

export const handler = handle(reorder, async ({ body }) => {
  await reorderCategories(body);
  return ok({ data: listCategories(await catalog('now')).data });
});
