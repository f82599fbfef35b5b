import { simulate } from '#contract/rules.ts';
import { handle, ok } from '#http/handle.ts';
import { simulateRules } from '#services/projects/rules.ts';

export const handler = handle(simulate, async ({ body }) => ok({ data: await simulateRules(body) }));
