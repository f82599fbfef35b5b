import { list } from '#contract/promotions.ts';
import { catalog } from '#data/catalog.ts';
import { currentPromotions } from '#data/promotions.ts';
import { showPromotions } from '#domain/promotions/list.ts';
import { handle, ok } from '#http/handle.ts';
import { now } from '#platform/clock.ts';

export const handler = handle(list, { now, currentPromotions, catalog }, async ({ query }, ports) =>
  ok(await showPromotions(ports, query)),
);
