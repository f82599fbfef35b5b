import { remove } from '#contract/categories.ts';
import { categoryPorts } from '#data/category-ports.ts';
import { removeCategory } from '#domain/categories/manage.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(remove, categoryPorts, async ({ params, user }, ports) =>
  ok({ data: await removeCategory(ports, user, params.category) }),
);
