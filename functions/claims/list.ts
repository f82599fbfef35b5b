import { list } from '#contract/claims.ts';
import { handle, ok } from '#http/handle.ts';
import { listClaims } from '#services/claims/decide.ts';

export const handler = handle(list, async ({ query }) => ok(await listClaims(query)));
