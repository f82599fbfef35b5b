import { create } from '#contract/follows.ts';
import { created, handle, ok } from '#http/handle.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { createFollow } from '#services/follows/manage.ts';

export const handler = handle(
  create,
  async ({ user, body, seed }) => {
    const { data, isNew } = await createFollow(user, body, seed);
    return isNew ? created({ data }) : ok({ data });
  },
  [idempotency],
);
