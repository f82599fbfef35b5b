import { list } from '#contract/vote-cases.ts';
import { handle, ok } from '#http/handle.ts';
import { listVoteCases } from '#services/reactions/vote-cases.ts';

export const handler = handle(list, async ({ query, user }) => ok(await listVoteCases(user, query)));
