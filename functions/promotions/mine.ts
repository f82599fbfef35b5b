import { mine } from '#contract/promotions.ts';
import { handle, ok } from '#http/handle.ts';
import { listOwnPromotions } from '#services/promotions/list.ts';

export const handler = handle(mine, async ({ query, user }) => ok(await listOwnPromotions(user, query)));
