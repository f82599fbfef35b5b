import { update } from '#contract/users.ts';
import { countProjectsOf } from '#data/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getUser, moderateUser } from '#services/users/update.ts';
import { adminUserView } from '#services/users/view.ts';

export const handler = handle(
  update,
  async ({ params, body, user }) => {
    const updated = await moderateUser(user, params.user, body);
    return ok({ data: adminUserView(updated, await countProjectsOf(updated.id)) });
  },
  [authorize(({ params }) => getUser(params.user))],
);
