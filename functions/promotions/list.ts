import { list } from '#contract/promotions.ts';
import { handle, ok } from '#http/handle.ts';
import { showPromotions } from '#services/promotions/list.ts';

export const handler = handle(list, async ({ query }) => ok(await showPromotions(query)));
