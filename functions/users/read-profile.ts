import { readProfile } from '#contract/users.ts';
import { userView } from '#domain/users/change.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(readProfile, {}, async ({ user }) => ok({ data: userView(user) }));
