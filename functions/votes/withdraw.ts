import { withdraw } from '#contract/votes.ts';
import { handle, ok } from '#http/handle.ts';
import { withdrawVote } from '#services/votes/vote.ts';

export const handler = handle(withdraw, async ({ params, user }) =>
  ok({ data: await withdrawVote(user, params.project) }),
);
