import { votes } from '#contract/users.ts';
import { handle, ok } from '#http/handle.ts';
import { readReactions } from '#services/reactions/votes-and-ratings.ts';

export const handler = handle(votes, async ({ query, user }) => ok({ data: await readReactions(user, query.ids) }));
