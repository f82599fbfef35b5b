import { list } from '#contract/collections.ts';
import { handle, ok } from '#http/handle.ts';
import { listCollections } from '#services/collections.ts';

export const handler = handle(list, async ({ query, user }) => ok(await listCollections(user, query)));
