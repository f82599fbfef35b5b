import { read } from '#contract/session.ts';
import { handle, ok } from '#http/handle.ts';
import { userView } from '#services/users/read.ts';

export const handler = handle(read, async ({ user }) =>
  ok({ data: { user: user && !user.scopes ? userView(user) : null } }),
);
