import { read } from '#contract/categories.ts';
import { catalog } from '#data/catalog.ts';
import { handle, ok } from '#http/handle.ts';
import { getCategory } from '#services/categories/get.ts';
import { countedCategory } from '#services/categories/view.ts';

export const handler = handle(read, async ({ params }) => {
  const category = await getCategory(params.category);
  const data = countedCategory(await catalog(), category);
  return ok({ data }, { version: category.version });
});
