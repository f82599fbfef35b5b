import { withdraw } from '#contract/reactions.ts';
import { handle, ok } from '#http/handle.ts';
import { withdrawVote } from '#services/reactions/votes-and-ratings.ts';

export const handler = handle(withdraw, async ({ params, user }) =>
  ok({ data: await withdrawVote(user, params.project) }),
);
