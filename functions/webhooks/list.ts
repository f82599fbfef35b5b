import { list } from '#contract/webhooks.ts';
import { handle, ok } from '#http/handle.ts';
import { listWebhooks } from '#services/webhooks/manage.ts';

export const handler = handle(list, async ({ query }) => ok(await listWebhooks(query)));
