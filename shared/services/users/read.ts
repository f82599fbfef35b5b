import type { ReadCatalog } from '#catalog/types.ts';
import type { AdminUser, User, UserDossier } from '#contract/users.ts';
import { catalog } from '#data/catalog.ts';
import { newestCommentsBy } from '#data/comments.ts';
import { type Paging, pageOf } from '#data/paging.ts';
import { pageOfLedger } from '#data/payments.ts';
import { newestReportsBy } from '#data/reports.ts';
import { exportedLists, userDataPages } from '#data/user-export.ts';
import { type UserFilters, userReplica } from '#data/user-replica.ts';
import { dayOf } from '#model/days.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';

export const userView = (user: UserRecord): User => ({
  id: user.id,
  email: user.email,
  email_verified: user.email_verified,
  name: user.name,
  avatar_url: user.avatar_url,
  bio: user.bio,
  website: user.website,
  role: user.role,
  is_admin: user.is_admin,
  is_banned: user.is_banned,
  ban_reason: user.ban_reason,
  ban_expires_at: user.ban_expires_at,
  joined_at: user.joined_at,
  notifications: user.notifications,
});

/** A user as shown to administrators. @param projectCount projects of every status, without deleted ones. */
export const adminUserView = (user: UserRecord, projectCount: number): AdminUser => ({
  ...userView(user),
  project_count: projectCount,
  comment_count: user.comment_count,
});

const projectCount = (projects: ReadCatalog, ownerId: string): number =>
  projects.query({
    scope: { status: 'any', deleted: 'excluded', ownerId },
    filters: { searchIn: 'public' },
    sort: 'newest',
    page: 1,
    limit: 1,
  }).total;

/** The administrators' list of users, newest first, with exact counts and totals. */
export const listUsers = async (query: UserFilters & Paging) => {
  const [projects, users] = await Promise.all([catalog(), userReplica()]);
  const { data, meta } = pageOf(users.select(query), query);
  return { data: data.map((user) => adminUserView(user, projectCount(projects, user.id))), meta };
};

const NEWEST = 10;

/** A user with the newest records of each kind. Its cost does not depend on how many there are. */
export const userDossier = async (user: UserRecord): Promise<UserDossier> => {
  const [projects, comments, reports, payments] = await Promise.all([
    catalog(),
    newestCommentsBy(user.id, NEWEST),
    newestReportsBy(user.id, NEWEST),
    pageOfLedger(user.id, 0, NEWEST),
  ]);
  const counts = projects.ownerCounts(user.id);
  const newest = projects.query({
    scope: { status: 'any', deleted: 'included', ownerId: user.id },
    filters: { searchIn: 'public' },
    sort: 'newest',
    page: 1,
    limit: NEWEST,
  });
  return {
    ...adminUserView(user, counts.live + counts.pending + counts.rejected),
    counts,
    submissions: newest.entries.map(({ project }) => project),
    comments,
    reports,
    payments,
  };
};

async function* chunksOf(user: UserRecord): AsyncGenerator<string> {
  const profile = { ...userView(user), comment_count: user.comment_count };
  const head = { exported_at: now(), profile };
  yield `{"data":${JSON.stringify(head).slice(0, -1)}`;
  const seen = new Set<string>();
  let open: string | undefined;
  for await (const { list, items } of userDataPages(user.id)) {
    if (items.length === 0) continue;
    if (list !== open) {
      if (seen.has(list)) throw new Error(`The parts of the list ${list} are not adjacent.`);
      yield `${open === undefined ? '' : ']'},${JSON.stringify(list)}:[`;
      seen.add(list);
    }
    const lines = items.map((item) => JSON.stringify(item)).join(',\n');
    yield open === list ? `,\n${lines}` : `\n${lines}`;
    open = list;
  }
  if (open !== undefined) yield ']';
  for (const list of exportedLists) if (!seen.has(list)) yield `,${JSON.stringify(list)}:[]`;
  yield '}}\n';
}

/**
 * Everything stored about a user as the `data` of one JSON object, in chunks; at most one page of items is in memory.
 * @returns the chunks and the day (`yyyy-mm-dd`, UTC).
 */
export const exportUser = (user: UserRecord) => ({ stream: chunksOf(user), day: dayOf(now()) });
