import { readUnsubscribe } from '#contract/mail.ts';
import { handle, htmlPage } from '#http/handle.ts';
import { showUnsubscribe } from '#services/mail/unsubscribe.ts';

export const handler = handle(readUnsubscribe, async ({ params }) => htmlPage(await showUnsubscribe(params.token)));
