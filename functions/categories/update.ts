import { update } from '#contract/categories.ts';
import { catalog } from '#data/catalog.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getCategory } from '#services/categories/get.ts';
import { changeCategory } from '#services/categories/manage.ts';
import { countedCategory } from '#services/categories/view.ts';

export const handler = handle(
  update,
  async ({ params, body, user, ifMatch }) => {
    const category = await changeCategory(user, params.category, body, ifMatch);
    const data = countedCategory(await catalog('now'), category);
    return ok({ data }, { version: category.version });
  },
  [authorize(({ params }) => getCategory(params.category))],
);
