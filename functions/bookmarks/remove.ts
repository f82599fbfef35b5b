import { remove } from '#contract/bookmarks.ts';
import { handle, ok } from '#http/handle.ts';
import { removeBookmark } from '#services/reactions/bookmarks.ts';

export const handler = handle(remove, async ({ params, user }) =>
  ok({ data: await removeBookmark(user, params.project) }),
);
