import { list } from '#contract/rules.ts';
import { handle, ok } from '#http/handle.ts';
import { listRules } from '#services/projects/rules.ts';

export const handler = handle(list, async () => ok({ data: await listRules() }));
