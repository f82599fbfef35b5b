import type { LedgerEntry } from '#contract/payments.ts';
import { type Paging, pageMeta, skipOf } from '#domain/paging.ts';

/** A line of a ledger as it is kept. */
export type LedgerRecord = LedgerEntry & { readonly user_id: string };

/** What reading a ledger takes. */
export interface LedgerPorts {
  readonly countLedger: (userId: string) => Promise<number>;
  /** Newest first, `skip` of them passed over. */
  readonly pageOfLedger: (userId: string, skip: number, count: number) => Promise<LedgerRecord[]>;
}

/** A page of somebody's payments, refunds and disputes, newest first. */
export const listPayments = async (ports: LedgerPorts, userId: string, query: Paging) => {
  const total = await ports.countLedger(userId);
  const skip = skipOf(query);
  const data = skip < total ? await ports.pageOfLedger(userId, skip, query.limit) : [];
  return { data, meta: pageMeta(query, total, data.length) };
};
