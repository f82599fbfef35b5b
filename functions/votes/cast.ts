import { cast } from '#contract/votes.ts';
import { castVote } from '#domain/votes/vote.ts';
import { handle, ok } from '#http/handle.ts';
import { votePorts } from '#ports/reactions.ts';

export const handler = handle(cast, votePorts, async ({ params, user }, ports) =>
  ok({ data: await castVote(ports, user, params.project) }),
);
