import { toggle } from '#contract/votes.ts';
import { votePorts } from '#data/reaction-ports.ts';
import { toggleVote } from '#domain/votes/vote.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(toggle, votePorts, async ({ params, user }, ports) =>
  ok({ data: await toggleVote(ports, user, params.project) }),
);
