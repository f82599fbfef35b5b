import { toggle } from '#contract/votes.ts';
import { handle, ok } from '#http/handle.ts';
import { toggleVote } from '#services/votes/vote.ts';

export const handler = handle(toggle, async ({ params, user }) => ok({ data: await toggleVote(user, params.project) }));
