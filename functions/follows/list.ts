import { list } from '#contract/follows.ts';
import { handle, ok } from '#http/handle.ts';
import { listFollows } from '#services/follows/manage.ts';

export const handler = handle(list, async ({ user }) => ok({ data: await listFollows(user) }));
