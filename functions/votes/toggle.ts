import { toggle } from '#contract/reactions.ts';
import { handle, ok } from '#http/handle.ts';
import { toggleVote } from '#services/reactions/votes-and-ratings.ts';

export const handler = handle(toggle, async ({ params, user, visitor }) =>
  ok({ data: await toggleVote(user, params.project, visitor.network) }),
);
