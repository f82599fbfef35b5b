import { browse } from '#contract/payments.ts';
import { handle, ok } from '#http/handle.ts';
import { browsePayments } from '#services/payments/list.ts';

export const handler = handle(browse, async ({ query }) => ok(await browsePayments(query)));
