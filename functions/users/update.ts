import { update } from '#contract/users.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getUser, moderateUser } from '#services/users/update.ts';

export const handler = handle(
  update,
  async ({ params, body, user }) => {
    return ok({ data: await moderateUser(user, params.user, body) });
  },
  [authorize(({ params }) => getUser(params.user))],
);
