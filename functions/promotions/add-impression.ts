import { addImpression } from '#contract/promotions.ts';
import { findProject } from '#data/projects.ts';
import { addToPromotion, findPromotion } from '#data/promotions.ts';
import { countForPromotion } from '#domain/promotions/count.ts';
import { accepted, handle } from '#http/handle.ts';
import { isBot } from '#platform/bots.ts';
import { now } from '#platform/clock.ts';

const countPorts = { now, findPromotion, findProject, isBot, addToPromotion };

export const handler = handle(addImpression, countPorts, async ({ params, userAgent }, ports) =>
  accepted({ data: { counted: await countForPromotion(ports, params.promotion, 'impressions', userAgent) } }),
);
