import { toggle } from '#contract/votes.ts';
import { toggleVote } from '#domain/votes/vote.ts';
import { handle, ok } from '#http/handle.ts';
import { votePorts } from '#ports/reactions.ts';

export const handler = handle(toggle, votePorts, async ({ params, user }, ports) =>
  ok({ data: await toggleVote(ports, user, params.project) }),
);
