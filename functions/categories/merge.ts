import { merge } from '#contract/categories.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { mergeCategories, previewMerge } from '#services/categories/manage.ts';
import { getCategory } from '#services/categories/read.ts';

export const handler = handle(
  merge,
  async ({ params, query, body, user }) =>
    ok({
      data: query.dry_run
        ? await previewMerge(params.category, body.into)
        : await mergeCategories(user, params.category, body.into),
    }),
  [authorize(({ params }) => getCategory(params.category))],
);
