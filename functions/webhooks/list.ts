import { list } from '#contract/webhooks.ts';
import { managePorts } from '#data/webhook-ports.ts';
import { listWebhooks } from '#domain/webhooks/manage.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(list, managePorts, async ({ query }, ports) => ok(await listWebhooks(ports, query)));
