import { update } from '#contract/categories.ts';
import { shownCategory } from '#domain/categories/list.ts';
import { categoryTag, changeCategory } from '#domain/categories/manage.ts';
import { handle, ok } from '#http/handle.ts';
import { categoryPorts } from '#ports/categories.ts';

export const handler = handle(update, categoryPorts, async ({ params, body, user, ifMatch }, ports) => {
  const category = await changeCategory(ports, user, params.category, body, ifMatch);
  const data = shownCategory(await ports.catalog('now'), category);
  return ok({ data }, { tag: categoryTag(category, data.project_count) });
});
