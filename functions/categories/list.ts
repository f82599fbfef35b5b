import { list } from '#contract/categories.ts';
import { handle } from '#http/handle.ts';
import { cachedResponse } from '#http/response-body.ts';
import { listCategories } from '#services/categories/read.ts';

export const handler = handle(list, async () => cachedResponse(list, undefined, await listCategories()));
