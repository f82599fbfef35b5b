import type { LedgerRecord } from '#domain/payments/ledger.ts';
import { type Key, ledgerKey, ledgerPartition, ledgerPrefix } from './keys.ts';
import { countCollection, type Item, pageOfCollection } from './read.ts';

/** The item of a line in a ledger. `type` says of every item in the table what it is, so the line's own has another name. */
export const ledgerItem = ({ type, ...entry }: LedgerRecord): Item & Key => ({
  ...ledgerKey(entry.user_id, entry.id),
  type: 'ledgerEntry',
  entry_type: type,
  ...entry,
});

const entryOf = (item: Item): LedgerRecord => ({
  id: String(item.id),
  type: item.entry_type as LedgerRecord['type'],
  checkout_id: String(item.checkout_id),
  user_id: String(item.user_id),
  kind: item.kind as LedgerRecord['kind'],
  project_id: (item.project_id ?? null) as string | null,
  amount: Number(item.amount),
  currency: String(item.currency),
  note: (item.note ?? null) as string | null,
  created_at: String(item.created_at),
});

/** How many lines somebody's ledger has. */
export const countLedger = (userId: string): Promise<number> => countCollection(ledgerPartition(userId), ledgerPrefix);

/** Lines of somebody's ledger, newest first; `skip` of them passed over. */
export const pageOfLedger = async (userId: string, skip: number, count: number): Promise<LedgerRecord[]> => {
  const range = { partition: ledgerPartition(userId), prefix: ledgerPrefix, newestFirst: true };
  return (await pageOfCollection(range, skip, count)).map(entryOf);
};
