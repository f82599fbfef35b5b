import { reject } from '#contract/claims.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getClaim, rejectClaim } from '#services/claims/decide.ts';

export const handler = handle(
  reject,
  async ({ params, body, user }) => ok({ data: await rejectClaim(user, params.claim, body?.reason ?? null) }),
  [authorize(({ params }) => getClaim(params.claim))],
);
