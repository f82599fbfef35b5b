import { verify } from '#contract/claims.ts';
import { handle, ok } from '#http/handle.ts';
import { verifyClaim } from '#services/claims/own.ts';

export const handler = handle(verify, async ({ params, user }) =>
  ok({ data: await verifyClaim(user, params.project, params.claim) }),
);
