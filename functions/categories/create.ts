import { create } from '#contract/categories.ts';
import { created, handle } from '#http/handle.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { createCategory } from '#services/categories/manage.ts';
import { categoryView } from '#services/categories/read.ts';

export const handler = handle(
  create,
  async ({ body, seed }) => {
    const category = await createCategory(body, seed);
    return created({ data: categoryView(category, 0) }, { version: category.version });
  },
  [idempotency],
);
