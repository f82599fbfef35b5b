import { readSettings } from '#contract/users.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(readSettings, async ({ user }) => ok({ data: { notifications: user.notifications } }));
