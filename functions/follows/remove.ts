import { remove } from '#contract/follows.ts';
import { handle, ok } from '#http/handle.ts';
import { removeFollow } from '#services/follows/manage.ts';

export const handler = handle(remove, async ({ user, params }) =>
  ok({ data: { id: await removeFollow(user, params.follow), deleted: true as const } }),
);
