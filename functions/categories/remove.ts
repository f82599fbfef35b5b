import { remove } from '#contract/categories.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { previewRemoval, removeCategory } from '#services/categories/manage.ts';
import { getCategory } from '#services/categories/read.ts';

export const handler = handle(
  remove,
  async ({ params, query, user }) =>
    ok({ data: query.dry_run ? await previewRemoval(params.category) : await removeCategory(user, params.category) }),
  [authorize(({ params }) => getCategory(params.category))],
);
