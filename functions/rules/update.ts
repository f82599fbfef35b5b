import { update } from '#contract/rules.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getRule, updateRule } from '#services/projects/rules.ts';

export const handler = handle(update, async ({ params, body }) => ok({ data: await updateRule(params.rule, body) }), [
  authorize(({ params }) => getRule(params.rule)),
]);
