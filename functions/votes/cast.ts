import { cast } from '#contract/reactions.ts';
import { handle, ok } from '#http/handle.ts';
import { castVote } from '#services/reactions/votes-and-ratings.ts';

export const handler = handle(cast, async ({ params, user, visitor }) =>
  ok({ data: await castVote(user, params.project, visitor.network) }),
);
