import { read } from '#contract/categories.ts';
import { catalog } from '#data/catalog.ts';
import { findCategory } from '#data/categories.ts';
import { shownCategory } from '#domain/categories/list.ts';
import { categoryTag } from '#domain/categories/manage.ts';
import { handle, ok } from '#http/handle.ts';
import { notFound } from '#shared/errors.ts';

export const handler = handle(read, { findCategory, catalog }, async ({ params }, ports) => {
  const category = await ports.findCategory(params.category);
  if (!category) throw notFound();
  const data = shownCategory(await ports.catalog(), category);
  return ok({ data }, { tag: categoryTag(category, data.project_count) });
});
