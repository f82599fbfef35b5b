import { remove } from '#contract/ratings.ts';
import { handle, ok } from '#http/handle.ts';
import { unrateProject } from '#services/ratings/rate.ts';

export const handler = handle(remove, async ({ params, user }) =>
  ok({ data: await unrateProject(user, params.project) }),
);
