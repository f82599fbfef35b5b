import { create } from '#contract/categories.ts';
import { created, handle } from '#http/handle.ts';
import { createCategory } from '#services/categories/manage.ts';
import { categoryView } from '#services/categories/read.ts';

export const handler = handle(create, async ({ body }) => {
  const category = await createCategory(body);
  return created({ data: categoryView(category, 0) }, { version: category.version });
});
