import { create } from '#contract/api-keys.ts';
import { created, handle } from '#http/handle.ts';
import { createApiKey } from '#services/admin/api-keys.ts';

export const handler = handle(create, async ({ body, user }) => created({ data: await createApiKey(user, body) }));
