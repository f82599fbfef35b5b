import { remove } from '#contract/categories.ts';
import { removeCategory } from '#domain/categories/manage.ts';
import { handle, ok } from '#http/handle.ts';
import { categoryPorts } from '#ports/categories.ts';

export const handler = handle(remove, categoryPorts, async ({ params, user }, ports) =>
  ok({ data: await removeCategory(ports, user, params.category) }),
);
