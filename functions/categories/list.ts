import { list } from '#contract/categories.ts';
import { catalog } from '#data/catalog.ts';
import { listCategories } from '#domain/categories/list.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(list, { catalog }, async (_call, ports) => ok(listCategories(await ports.catalog())));
