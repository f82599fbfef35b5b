/** The snapshot that there is. */
export interface KeptSnapshot {
  /** The stamp of the newest change in it, ISO 8601. */
  readonly newestAt: string;
  /** When it was taken, ISO 8601. */
  readonly takenAt: string;
  readonly listings: number;
}

/** What keeping a snapshot takes. */
export interface SnapshotPorts {
  /** The newest snapshot, whether it can be read or not. */
  readonly findSnapshot: () => Promise<KeptSnapshot | undefined>;
  /** How many entries the feed has from a time on, counted up to `max`. */
  readonly countChanges: (since: string | undefined, max: number) => Promise<number>;
  /** Keeps the catalog as it is now; undefined when somebody else was faster. */
  readonly storeSnapshot: () => Promise<{ readonly listings: number; readonly bytes: number } | undefined>;
  /** ISO 8601. */
  readonly now: () => string;
}

/** Fewer entries than this are read from the feed as quickly as a snapshot is. */
const WORTHWHILE = 500;
/** A snapshot is made anew when so much of it has changed that a beginning process has to read this part again. */
const CHANGED_PART = 0.02;
/** Or when it has become this old, in milliseconds: long before it must not be used any more. */
const RENEWED_MS = 6 * 3600 * 1000;

const isDue = async ({ countChanges, now }: SnapshotPorts, kept: KeptSnapshot | undefined): Promise<boolean> => {
  if (!kept) return (await countChanges(undefined, WORTHWHILE)) >= WORTHWHILE;
  if (Date.parse(now()) - Date.parse(kept.takenAt) > RENEWED_MS) return true;
  const enough = Math.max(WORTHWHILE, Math.ceil(kept.listings * CHANGED_PART));
  return (await countChanges(kept.newestAt, enough)) >= enough;
};

/** Keeps the catalog for processes that begin, where it is worth it. Two that do so at once leave one snapshot. */
export const keepSnapshot = async (ports: SnapshotPorts) => {
  const stored = (await isDue(ports, await ports.findSnapshot())) ? await ports.storeSnapshot() : undefined;
  return { processed: stored?.listings ?? 0, bytes: stored?.bytes ?? 0, unfinished: false };
};
