import { list } from '#contract/payments.ts';
import { countLedger, pageOfLedger } from '#data/ledger.ts';
import { listPayments } from '#domain/payments/ledger.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(list, { countLedger, pageOfLedger }, async ({ query, user }, ports) =>
  ok(await listPayments(ports, user.id, query)),
);
