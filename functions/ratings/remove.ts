import { remove } from '#contract/reactions.ts';
import { handle, ok } from '#http/handle.ts';
import { unrateProject } from '#services/reactions/votes-and-ratings.ts';

export const handler = handle(remove, async ({ params, user }) =>
  ok({ data: await unrateProject(user, params.project) }),
);
