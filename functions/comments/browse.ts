import { browse } from '#contract/comments.ts';
import { handle, ok } from '#http/handle.ts';
import { browseComments } from '#services/reactions/comments.ts';

export const handler = handle(browse, async ({ query }) => ok(await browseComments(query)));
