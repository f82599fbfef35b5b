import { erase } from '#contract/users.ts';
import { handle, ok } from '#http/handle.ts';
import { eraseSelf } from '#services/users/erase.ts';

export const handler = handle(erase, async ({ query, user }) =>
  ok({ data: { id: user.id, erased_at: await eraseSelf(user, query.projects) } }),
);
