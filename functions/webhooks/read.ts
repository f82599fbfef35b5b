import { read } from '#contract/webhooks.ts';
import { handle, ok } from '#http/handle.ts';
import { getWebhookView } from '#services/webhooks/manage.ts';

export const handler = handle(read, async ({ params }) => ok({ data: await getWebhookView(params.webhook) }));
