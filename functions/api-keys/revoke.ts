import { revoke } from '#contract/api-keys.ts';
import { handle, ok } from '#http/handle.ts';
import { revokeKey } from '#services/admin/api-keys.ts';

export const handler = handle(revoke, async ({ params, user }) => ok({ data: await revokeKey(user, params.key) }));
