import { remove } from '#contract/ratings.ts';
import { unrateProject } from '#domain/ratings/rate.ts';
import { handle, ok } from '#http/handle.ts';
import { ratingPorts } from '#ports/reactions.ts';

export const handler = handle(remove, ratingPorts, async ({ params, user }, ports) =>
  ok({ data: await unrateProject(ports, user, params.project) }),
);
