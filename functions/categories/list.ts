import { list } from '#contract/categories.ts';
import { catalog } from '#data/catalog.ts';
import { listCategories } from '#domain/categories/list.ts';
import { encodedOnce } from '#http/encoded.ts';
import { handle } from '#http/handle.ts';

export const handler = handle(list, { catalog }, async (_call, ports) => {
  const known = await ports.catalog();
  return encodedOnce(list, known, undefined, () => listCategories(known));
});
