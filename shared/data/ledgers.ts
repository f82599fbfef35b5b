import { auditPartitions } from './audit.ts';
import { storedEventMonths } from './events.ts';
import { eventsPartitions } from './keys.ts';
import { MENTIONED } from './mentions.ts';
import { collectionPages, firstOfCollection, type Item } from './read.ts';

/** The event ledger and the audit log: of each the months or years, newest first, and their partitions. */
const ledgers = (): readonly (readonly (readonly string[])[])[] => [
  storedEventMonths().map(eventsPartitions),
  auditPartitions().map((partition) => [partition]),
];

/** All stored events, tasks and audit entries, of each partition the newest first, and the newest partitions first. */
export async function* ledgerPages(): AsyncGenerator<readonly Item[]> {
  for (const partition of ledgers().flat(2)) yield* collectionPages({ partition, newestFirst: true });
}

/** Whether the mentions of an entry are stored. */
export const isIndexed = (entry: Item): boolean => entry.mentions_stored === MENTIONED.mentions_stored;

/**
 * Whether there are entries whose mentions are not stored, because an earlier version wrote them. The oldest entries of a
 * ledger decide: they expire first, and `indexLedgers` indexes them last.
 */
export const hasUnindexedEntries = async (): Promise<boolean> => {
  for (const newestFirst of ledgers()) {
    for (const partitions of newestFirst.toReversed()) {
      const firsts = await Promise.all(partitions.map((partition) => firstOfCollection({ partition }, 1)));
      const oldest = firsts.flat();
      if (oldest.some((entry) => !isIndexed(entry))) return true;
      if (oldest.length > 0) break;
    }
  }
  return false;
};
