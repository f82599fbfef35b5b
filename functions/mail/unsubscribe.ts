import { unsubscribe } from '#contract/mail.ts';
import { handle, htmlPage } from '#http/handle.ts';
import { unsubscribeBy } from '#services/mail/unsubscribe.ts';

export const handler = handle(unsubscribe, async ({ params }) => htmlPage(await unsubscribeBy(params.token)));
