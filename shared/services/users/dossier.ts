import type { UserDossier } from '#contract/users.ts';
import { catalog } from '#data/catalog.ts';
import { pageOfLedger } from '#data/checkouts.ts';
import { newestCommentsBy } from '#data/comments.ts';
import { newestReportsBy } from '#data/reports.ts';
import { adminReportView } from '#model/report.ts';
import type { UserRecord } from '#model/user.ts';
import { adminUserView } from './view.ts';

/** How many records of each kind a dossier has. */
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
    submissions: newest.entries.map(({ project: { id, slug, name, url, status, created_at, deleted_at } }) => ({
      id,
      slug,
      name,
      url,
      status,
      created_at,
      deleted_at,
    })),
    comments,
    reports: reports.map(adminReportView),
    payments,
  };
};
