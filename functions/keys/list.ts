import { list } from '#contract/keys.ts';
import { handle, ok } from '#http/handle.ts';
import { listApiKeys } from '#services/keys/manage.ts';

export const handler = handle(list, async () => ok({ data: await listApiKeys() }));
