import { readProfile } from '#contract/users.ts';
import { handle, ok } from '#http/handle.ts';
import { userView } from '#services/users/read.ts';

export const handler = handle(readProfile, async ({ user }) => ok({ data: userView(user) }));
