import { cast } from '#contract/votes.ts';
import { handle, ok } from '#http/handle.ts';
import { castVote } from '#services/votes/vote.ts';

export const handler = handle(cast, async ({ params, user }) => ok({ data: await castVote(user, params.project) }));
