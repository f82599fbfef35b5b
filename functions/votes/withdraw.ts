import { withdraw } from '#contract/votes.ts';
import { withdrawVote } from '#domain/votes/vote.ts';
import { handle, ok } from '#http/handle.ts';
import { votePorts } from '#ports/reactions.ts';

export const handler = handle(withdraw, votePorts, async ({ params, user }, ports) =>
  ok({ data: await withdrawVote(ports, user, params.project) }),
);
