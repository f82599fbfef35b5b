import { listDeliveries } from '#contract/webhooks.ts';
import { countDeliveries, pageOfDeliveries } from '#data/deliveries.ts';
import { findWebhook } from '#data/webhooks.ts';
import { pageOfLog } from '#domain/webhooks/log.ts';
import { handle, ok } from '#http/handle.ts';

const logPorts = { findWebhook, countDeliveries, pageOfDeliveries };

export const handler = handle(listDeliveries, logPorts, async ({ params, query }, ports) =>
  ok(await pageOfLog(ports, params.webhook, query)),
);
