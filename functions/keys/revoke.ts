import { revoke } from '#contract/keys.ts';
import { handle, ok } from '#http/handle.ts';
import { revokeKey } from '#services/keys/manage.ts';

export const handler = handle(revoke, async ({ params, user }) => ok({ data: await revokeKey(user, params.key) }));
