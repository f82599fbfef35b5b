import { add } from '#contract/bookmarks.ts';
import { handle, ok } from '#http/handle.ts';
import { addBookmark } from '#services/reactions/bookmarks.ts';

export const handler = handle(add, async ({ params, user }) => ok({ data: await addBookmark(user, params.project) }));
