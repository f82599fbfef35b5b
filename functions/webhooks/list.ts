import { list } from '#contract/webhooks.ts';
import { allWebhooks } from '#data/webhooks.ts';
import { listWebhooks } from '#domain/webhooks/manage.ts';
import { handle, ok } from '#http/handle.ts';
import { now } from '#platform/clock.ts';

export const handler = handle(list, { now, allWebhooks }, async ({ query }, ports) =>
  ok(await listWebhooks(ports, query)),
);
