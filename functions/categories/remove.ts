import { remove } from '#contract/categories.ts';
import { handle, ok } from '#http/handle.ts';
import { removeCategory } from '#services/categories/manage.ts';

export const handler = handle(remove, async ({ params, user }) =>
  ok({ data: await removeCategory(user, params.category) }),
);
