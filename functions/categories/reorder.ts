import { reorder } from '#contract/categories.ts';
import { listCategories } from '#domain/categories/list.ts';
import { reorderCategories } from '#domain/categories/manage.ts';
import { handle, ok } from '#http/handle.ts';
import { categoryPorts } from '#ports/categories.ts';

export const handler = handle(reorder, categoryPorts, async ({ body }, ports) => {
  await reorderCategories(ports, body);
  return ok({ data: listCategories(await ports.catalog('now')).data });
});
