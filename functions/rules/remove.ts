import { remove } from '#contract/rules.ts';
import { handle, ok } from '#http/handle.ts';
import { removeRule } from '#services/projects/rules.ts';

export const handler = handle(remove, async ({ params }) =>
  ok({ data: { id: await removeRule(params.rule), deleted: true as const } }),
);
