import { list } from '#contract/bookmarks.ts';
import { handle, ok } from '#http/handle.ts';
import { listBookmarks } from '#services/reactions/bookmarks.ts';

export const handler = handle(list, async ({ query, user }) => ok(await listBookmarks(user, query)));
