/** A user as far as his comments are counted. */
export interface CommentCount {
  readonly userId: string;
  readonly counted: number;
  /** When anything of his record changed last, his comments included; ISO 8601. */
  readonly changedAt: string;
  readonly version: number;
}

/** What counting users' comments anew takes. */
export interface RecountUsersPorts {
  readonly now: () => string;
  /** Users, in the order of joining, behind a place in it. */
  readonly commentCounts: (after: string | undefined) => AsyncIterable<readonly (CommentCount & { place: string })[]>;
  /** How many comments of a user there are; it follows his writing within moments. */
  readonly countCommentsBy: (userId: string) => Promise<number>;
  /** Sets the counter. @returns whether the record was still of this version. */
  readonly correctCommentCount: (user: CommentCount, count: number) => Promise<boolean>;
  readonly findBookmark: (job: string) => Promise<string | undefined>;
  readonly keepBookmark: (job: string, after: string | null) => Promise<void>;
}

/** Somebody who has written this lately is left to the next run: the list of his comments may be a moment behind. */
const QUIET_MS = 60_000;
const AT_ONCE = 8;
/** What its bookmark is kept under. */
export const USERS_JOB = 'reconcile-counters-users';

const recountOne = async (ports: RecountUsersPorts, user: CommentCount, before: string): Promise<boolean> => {
  if (user.changedAt > before) return false;
  const count = await ports.countCommentsBy(user.userId);
  return count !== user.counted && (await ports.correctCommentCount(user, count));
};

/**
 * Counts the comments of every user anew and mends the counters. Every comment raises the version of its author's record
 * in its transaction, so none in between is lost.
 * @param until when to stop, on the monotonic clock in milliseconds.
 */
export const recountUsers = async (
  ports: RecountUsersPorts,
  until: number,
): Promise<{ users: number; users_repaired: number; unfinished: boolean }> => {
  const before = new Date(Date.parse(ports.now()) - QUIET_MS).toISOString();
  const after = await ports.findBookmark(USERS_JOB);
  let [users, users_repaired] = [0, 0];
  for await (const page of ports.commentCounts(after)) {
    for (let start = 0; start < page.length; start += AT_ONCE) {
      const group = page.slice(start, start + AT_ONCE);
      const repaired = await Promise.all(group.map((user) => recountOne(ports, user, before)));
      users += group.length;
      users_repaired += repaired.filter(Boolean).length;
      if (performance.now() > until) {
        await ports.keepBookmark(USERS_JOB, group.at(-1)?.place ?? null);
        return { users, users_repaired, unfinished: true };
      }
    }
  }
  if (after !== undefined) await ports.keepBookmark(USERS_JOB, null);
  return { users, users_repaired, unfinished: false };
};
