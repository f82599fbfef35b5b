import { list } from '#contract/api-keys.ts';
import { handle, ok } from '#http/handle.ts';
import { listApiKeys } from '#services/admin/api-keys.ts';

export const handler = handle(list, async () => ok({ data: await listApiKeys() }));
