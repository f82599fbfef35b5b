import { browse } from '#contract/promotions.ts';
import { openCheckouts } from '#data/checkouts.ts';
import { allPromotions, readPromotionCounts } from '#data/promotions.ts';
import { browsePromotions } from '#domain/promotions/list.ts';
import { handle, ok } from '#http/handle.ts';
import { now } from '#platform/clock.ts';

const browsePorts = { now, allPromotions, openCheckouts, readPromotionCounts };

export const handler = handle(browse, browsePorts, async ({ query }, ports) =>
  ok(await browsePromotions(ports, query)),
);
