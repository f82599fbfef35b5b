import { remove } from '#contract/users.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { eraseOther } from '#services/users/erase.ts';
import { getUser } from '#services/users/update.ts';

export const handler = handle(
  remove,
  async ({ params, query, user }) =>
    ok({ data: { id: params.user, erased_at: await eraseOther(user, params.user, query.projects) } }),
  [authorize(({ params }) => getUser(params.user))],
);
