import { read } from '#contract/vote-cases.ts';
import { handle, ok } from '#http/handle.ts';
import { readVoteCase } from '#services/reactions/vote-cases.ts';

export const handler = handle(read, async ({ params, user }) => ok({ data: await readVoteCase(user, params.case) }));
