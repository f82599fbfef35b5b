import { browse } from '#contract/promotions.ts';
import { handle, ok } from '#http/handle.ts';
import { browsePromotions } from '#services/promotions/list.ts';

export const handler = handle(browse, async ({ query }) => ok(await browsePromotions(query)));
