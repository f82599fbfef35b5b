import { list } from '#contract/payments.ts';
import { handle, ok } from '#http/handle.ts';
import { listPayments } from '#services/payments/list.ts';

export const handler = handle(list, async ({ query, user }) => ok(await listPayments(user.id, query)));
