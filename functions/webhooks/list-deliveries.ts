import { listDeliveries } from '#contract/webhooks.ts';
import { logPorts } from '#data/webhook-ports.ts';
import { pageOfLog } from '#domain/webhooks/log.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(listDeliveries, logPorts, async ({ params, query }, ports) =>
  ok(await pageOfLog(ports, params.webhook, query)),
);
