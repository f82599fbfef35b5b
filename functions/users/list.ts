import { list } from '#contract/users.ts';
import { handle, ok } from '#http/handle.ts';
import { listUsers } from '#services/users/read.ts';

export const handler = handle(list, async ({ query }) => ok(await listUsers(query)));
