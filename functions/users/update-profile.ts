import { updateProfile } from '#contract/users.ts';
import { handle, ok } from '#http/handle.ts';
import { userView } from '#services/users/read.ts';
import { updateProfile as update } from '#services/users/update.ts';

export const handler = handle(updateProfile, async ({ body, user }) =>
  ok({ data: userView(await update(user, body)) }),
);
