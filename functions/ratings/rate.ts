import { rate } from '#contract/ratings.ts';
import { rateProject } from '#domain/ratings/rate.ts';
import { handle, ok } from '#http/handle.ts';
import { ratingPorts } from '#ports/reactions.ts';

export const handler = handle(rate, ratingPorts, async ({ params, body, user }, ports) =>
  ok({ data: await rateProject(ports, user, params.project, body.rating) }),
);
