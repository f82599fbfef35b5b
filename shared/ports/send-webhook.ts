import { findWebhook } from '#data/webhooks.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { postOutbound } from '#platform/outbound.ts';
import { settings } from '#platform/settings.ts';
import { signWebhook } from '#platform/webhook-signature.ts';

/** What sending one message to a webhook works with; it writes nothing, and its functions may write nothing. */
export const sendPorts = {
  now,
  newId,
  findWebhook,
  site: () => ({ siteName: settings().siteName, siteUrl: settings().siteUrl }),
  sign: signWebhook,
  post: (request: Parameters<typeof postOutbound>[0]) => postOutbound(request),
};
