import { begin } from '#contract/session.ts';
import { handle, ok } from '#http/handle.ts';
import { sessionCookies } from '#http/session-cookies.ts';
import { userView } from '#services/users/read.ts';
import { beginSession } from '#services/users/session.ts';

export const handler = handle(begin, async ({ body, session }) => {
  const { user, expiresAt, ...tokens } = await beginSession(body, session.refreshToken);
  const data = { user: userView(user), expires_at: expiresAt, is_renewable: tokens.refreshToken !== undefined };
  return ok({ data }, { cookies: sessionCookies({ ...tokens, expiresAt }) });
});
