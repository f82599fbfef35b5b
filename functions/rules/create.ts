import { create } from '#contract/rules.ts';
import { created, handle } from '#http/handle.ts';
import { createRule } from '#services/projects/rules.ts';

export const handler = handle(create, async ({ body }) => created({ data: await createRule(body) }));
