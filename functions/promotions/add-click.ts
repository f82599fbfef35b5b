import { addClick } from '#contract/promotions.ts';
import { countForPromotion } from '#domain/promotions/count.ts';
import { accepted, handle } from '#http/handle.ts';
import { countPorts } from '#ports/promotions.ts';

export const handler = handle(addClick, countPorts, async ({ params, userAgent }, ports) =>
  accepted({ data: { counted: await countForPromotion(ports, params.promotion, 'clicks', userAgent) } }),
);
