import { create } from '#contract/categories.ts';
import { categoryTag, categoryView, createCategory } from '#domain/categories/manage.ts';
import { created, handle } from '#http/handle.ts';
import { categoryPorts } from '#ports/categories.ts';

export const handler = handle(create, categoryPorts, async ({ body }, ports) => {
  const category = await createCategory(ports, body);
  return created({ data: categoryView(category, 0) }, { tag: categoryTag(category, 0) });
});
