import { current } from '#contract/keys.ts';
import { handle, ok } from '#http/handle.ts';
import { currentKey } from '#services/keys/manage.ts';

export const handler = handle(current, async ({ user }) => ok({ data: await currentKey(user) }));
