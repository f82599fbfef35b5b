import { rate } from '#contract/reactions.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getOpenProject } from '#services/projects/read.ts';
import { rateProject } from '#services/reactions/votes-and-ratings.ts';

export const handler = handle(
  rate,
  async ({ params, body, user }) => ok({ data: await rateProject(user, params.project, body.rating) }),
  [authorize(({ params }) => getOpenProject(params.project))],
);
