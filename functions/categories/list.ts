import { list } from '#contract/categories.ts';
import { catalog } from '#data/catalog.ts';
import { cachedReply } from '#http/encoded.ts';
import { handle } from '#http/handle.ts';
import { listCategories } from '#services/categories/view.ts';

export const handler = handle(list, async () => {
  const current = await catalog();
  return cachedReply(list, current, undefined, () => listCategories(current));
});
