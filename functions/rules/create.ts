import { create } from '#contract/rules.ts';
import { created, handle } from '#http/handle.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { createRule } from '#services/projects/rules.ts';

export const handler = handle(create, async ({ body, seed }) => created({ data: await createRule(body, seed) }), [
  idempotency,
]);
