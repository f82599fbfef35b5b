import { create } from '#contract/collections.ts';
import { created, handle } from '#http/handle.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { createCollection, staffCollection } from '#services/collections.ts';

export const handler = handle(
  create,
  async ({ body, user, seed }) => {
    const { data, version } = await staffCollection(await createCollection(body, seed), user);
    return created({ data }, { version });
  },
  [idempotency],
);
