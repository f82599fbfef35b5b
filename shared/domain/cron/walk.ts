/** Where a job stopped, so that its next run goes on from there. */
export interface Bookmarks {
  readonly findBookmark: (job: string) => Promise<string | undefined>;
  /** Null: the job is through, and begins anew the next time. */
  readonly keepBookmark: (job: string, after: string | null) => Promise<void>;
}

/** How far a run may go. */
export interface Bounds {
  /** What the bookmark is kept under. */
  readonly job: string;
  /** When to stop, on the monotonic clock in milliseconds. */
  readonly until: number;
  readonly atOnce: number;
  /** How many of all a run takes on at most; any number when absent. */
  readonly max?: number;
}

/** What a run got done. */
export interface Walked {
  readonly processed: number;
  readonly unfinished: boolean;
}

/** After so many groups the bookmark is kept, so that a run that dies does not begin at the start again. */
const GROUPS_PER_BOOKMARK = 20;

/**
 * Goes through things in the order of their ids, from where the last run stopped. Two runs at the same time go through the
 * same things, so the work must not mind.
 */
export const walkThrough = async (
  ports: Bookmarks,
  ids: Iterable<string>,
  { job, until, atOnce, max = Number.POSITIVE_INFINITY }: Bounds,
  work: (ids: readonly string[]) => Promise<unknown>,
): Promise<Walked> => {
  const after = await ports.findBookmark(job);
  const open = [...ids].filter((id) => after === undefined || id > after).sort();
  let processed = 0;
  let groups = 0;
  while (processed < open.length && processed < max && performance.now() < until) {
    const group = open.slice(processed, Math.min(processed + atOnce, max));
    await work(group);
    processed += group.length;
    groups += 1;
    if (groups % GROUPS_PER_BOOKMARK === 0) await ports.keepBookmark(job, group.at(-1) ?? null);
  }
  const unfinished = processed < open.length;
  if (unfinished ? processed > 0 : after !== undefined || groups >= GROUPS_PER_BOOKMARK) {
    await ports.keepBookmark(job, unfinished ? (open[processed - 1] ?? null) : null);
  }
  return { processed, unfinished };
};
