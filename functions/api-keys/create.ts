import { create } from '#contract/api-keys.ts';
import { created, handle } from '#http/handle.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { createApiKey } from '#services/admin/api-keys.ts';

export const handler = handle(
  create,
  async ({ body, user, seed }) => created({ data: await createApiKey(user, body, seed) }),
  [idempotency],
);
