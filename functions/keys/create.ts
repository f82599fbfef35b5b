import { create } from '#contract/keys.ts';
import { created, handle } from '#http/handle.ts';
import { createApiKey } from '#services/keys/manage.ts';

export const handler = handle(create, async ({ body, user }) => created({ data: await createApiKey(user, body) }));
