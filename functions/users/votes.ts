import { votes } from '#contract/users.ts';
import { viewerState } from '#data/viewer-state.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(votes, async ({ query, user }) => ok({ data: await viewerState(user.id, query.ids) }));
