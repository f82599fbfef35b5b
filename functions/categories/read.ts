import { read } from '#contract/categories.ts';
import { catalog } from '#data/catalog.ts';
import { handle, ok } from '#http/handle.ts';
import { resolveCategory } from '#services/categories/get.ts';
import { countedCategory } from '#services/categories/view.ts';
import { notFound } from '#shared/errors.ts';

export const handler = handle(read, async ({ params }) => {
  const category = await resolveCategory(params.category);
  if (!category) throw notFound();
  const data = countedCategory(await catalog(), category);
  return ok({ data }, { version: category.version });
});
