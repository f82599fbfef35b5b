import { update } from '#contract/categories.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { changeCategory } from '#services/categories/manage.ts';
import { countedCategory, getCategory } from '#services/categories/read.ts';

export const handler = handle(
  update,
  async ({ params, body, user, ifMatch }) => {
    const category = await changeCategory(user, params.category, body, ifMatch);
    return ok({ data: await countedCategory(category, 'now') }, { version: category.version });
  },
  [authorize(({ params }) => getCategory(params.category))],
);
