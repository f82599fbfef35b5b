import { rotate } from '#contract/webhooks.ts';
import { handle, ok } from '#http/handle.ts';
import { rotateSecret } from '#services/webhooks/manage.ts';

export const handler = handle(rotate, async ({ params }) => ok({ data: await rotateSecret(params.webhook) }));
