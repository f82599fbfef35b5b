import { updateProfile } from '#contract/users.ts';
import { handle, ok } from '#http/handle.ts';
import { updateProfile as update } from '#services/users/update.ts';
import { userView } from '#services/users/view.ts';

export const handler = handle(updateProfile, async ({ body, user }) =>
  ok({ data: userView(await update(user, body)) }),
);
