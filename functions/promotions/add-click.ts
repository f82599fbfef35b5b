import { addClick } from '#contract/promotions.ts';
import { countPorts } from '#data/promotion-ports.ts';
import { countForPromotion } from '#domain/promotions/count.ts';
import { accepted, handle } from '#http/handle.ts';

export const handler = handle(addClick, countPorts, async ({ params, userAgent }, ports) =>
  accepted({ data: { counted: await countForPromotion(ports, params.promotion, 'clicks', userAgent) } }),
);
