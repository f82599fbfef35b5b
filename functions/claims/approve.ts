import { approve } from '#contract/claims.ts';
import { handle, ok } from '#http/handle.ts';
import { approveClaim } from '#services/claims/decide.ts';

export const handler = handle(approve, async ({ params, user }) =>
  ok({ data: await approveClaim(user, params.claim) }),
);
