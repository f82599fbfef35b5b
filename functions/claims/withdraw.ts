import { withdraw } from '#contract/claims.ts';
import { handle, ok } from '#http/handle.ts';
import { withdrawClaim } from '#services/claims/own.ts';

export const handler = handle(withdraw, async ({ params, user }) =>
  ok({ data: await withdrawClaim(user, params.project, params.claim) }),
);
