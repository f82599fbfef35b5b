import { current } from '#contract/api-keys.ts';
import { handle, ok } from '#http/handle.ts';
import { currentKey } from '#services/admin/api-keys.ts';

export const handler = handle(current, async ({ user }) => ok({ data: await currentKey(user) }));
