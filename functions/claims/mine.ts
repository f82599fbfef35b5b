import { mine } from '#contract/claims.ts';
import { handle, ok } from '#http/handle.ts';
import { listOwnClaims } from '#services/claims/own.ts';

export const handler = handle(mine, async ({ query, user }) => ok(await listOwnClaims(user, query)));
