import { replayFailed } from '#contract/webhooks.ts';
import { accepted, handle } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { requestReplay } from '#services/webhooks/deliveries.ts';
import { getWebhook } from '#services/webhooks/manage.ts';

export const handler = handle(
  replayFailed,
  async ({ params, body, user }) => accepted({ data: await requestReplay(params.webhook, body.since, user.id) }),
  [authorize(({ params }) => getWebhook(params.webhook))],
);
