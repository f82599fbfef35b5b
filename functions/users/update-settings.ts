import { updateSettings } from '#contract/users.ts';
import { handle, ok } from '#http/handle.ts';
import { updateUserSettings } from '#services/users/update.ts';

export const handler = handle(updateSettings, async ({ body, user }) => {
  const { notifications } = await updateUserSettings(user, body);
  return ok({ data: { notifications } });
});
