import { read } from '#contract/categories.ts';
import { handle, ok } from '#http/handle.ts';
import { readCategory } from '#services/categories/read.ts';

export const handler = handle(read, async ({ params }) => {
  const { data, version } = await readCategory(params.category);
  return ok({ data }, { version });
});
