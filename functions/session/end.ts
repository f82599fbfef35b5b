import { end } from '#contract/session.ts';
import { handle, ok } from '#http/handle.ts';
import { endedCookies } from '#http/session-cookies.ts';
import { endSession } from '#services/users/session.ts';

export const handler = handle(end, async ({ session }) => {
  await endSession(session.refreshToken);
  return ok({ data: { user: null } }, { cookies: endedCookies() });
});
