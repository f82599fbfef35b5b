import { reorder } from '#contract/categories.ts';
import { handle, ok } from '#http/handle.ts';
import { reorderCategories } from '#services/categories/manage.ts';
import { listCategories } from '#services/categories/read.ts';

export const handler = handle(reorder, async ({ body }) => {
  await reorderCategories(body);
  const { body: reordered } = await listCategories('now');
  return ok({ data: reordered().data });
});
