import type { ReportStatus } from '#contract/reports.ts';
import type { ReportRecord } from '#domain/reports/report.ts';
import { absent, is } from './conditions.ts';
import { projectIsOpen } from './counts.ts';
import {
  type Key,
  ofReportStatus,
  ofUser,
  projectPartition,
  projectPrefix,
  reportIdKey,
  reportKey,
  reportsPartition,
} from './keys.ts';
import { collectionPages, countCollection, findItem, findItems, type Item, pageOfCollection } from './read.ts';
import { userIsThere } from './user-records.ts';
import { removeItems, transact } from './write.ts';

/** Reports of listings: one item per user and project, and one that leads from the report's id, and from its author, to it. */

const reportOf = (item: Item): ReportRecord => ({
  id: String(item.id),
  project_id: String(item.project_id),
  user_id: String(item.user_id),
  reason: String(item.reason),
  details: (item.details ?? null) as string | null,
  status: item.status as ReportStatus,
  created_at: String(item.created_at),
  updated_at: String(item.updated_at),
  version: Number(item.version),
});

/** What a user has reported of a project. */
export const findReportOf = async (projectId: string, userId: string): Promise<ReportRecord | undefined> => {
  const item = await findItem(reportKey(projectId, userId));
  return item && reportOf(item);
};

/** A report by its id. */
export const findReport = async (reportId: string): Promise<ReportRecord | undefined> => {
  const pointer = await findItem(reportIdKey(reportId));
  return pointer && (await findReportOf(String(pointer.project_id), String(pointer.user_id)));
};

/**
 * Stores a report. A new one needs its project to be open and its author to be there.
 * @throws ConditionFailed when it is not as `previous` any more; 404 when the project is not open, 401 for an erased author.
 */
export const replaceReport = async (previous: ReportRecord | undefined, next: ReportRecord): Promise<void> => {
  const { id, project_id, user_id } = next;
  await transact([
    ...(previous ? [] : [projectIsOpen(project_id), userIsThere(user_id)]),
    {
      put: {
        ...reportKey(project_id, user_id),
        ...ofReportStatus(next.status, next.created_at, id),
        type: 'report',
        ...next,
      },
      when: previous ? is('version', previous.version) : absent,
    },
    ...(previous
      ? []
      : [{ put: { ...reportIdKey(id), ...ofUser(user_id, 'REPORT', id), type: 'reportId', id, project_id, user_id } }]),
  ]);
};

const STATUSES: readonly ReportStatus[] = ['open', 'resolved', 'dismissed'];

const rangeOf = (status: ReportStatus) =>
  ({
    partition: reportsPartition(status),
    index: 'collection',
    newestFirst: true,
    only: ['id', 'pk', 'sk', 'collection_sk'],
  }) as const;

/** Where the reports of several statuses are, newest first, as far as the end of a page. */
const mergedPlaces = async (statuses: readonly ReportStatus[], skip: number, count: number): Promise<Item[]> => {
  // A page may be all of one status, so of each its length is read: only keys, and nothing behind the page.
  const lists = await Promise.all(statuses.map((status) => pageOfCollection(rangeOf(status), 0, skip + count)));
  // A report that is settled at this moment may stand under two of them.
  const places = new Map(lists.flat().map((place) => [String(place.collection_sk), place]));
  const newestFirst = [...places].toSorted(([a], [b]) => (a < b ? 1 : -1)).map(([, place]) => place);
  return newestFirst.slice(skip, skip + count);
};

/** Reports of a status, or all, newest first, with how many there are. All are counted, but only a page is read as a whole. */
export const pageOfReports = async (
  status: ReportStatus | 'all',
  skip: number,
  count: number,
): Promise<{ reports: ReportRecord[]; total: number }> => {
  const statuses = status === 'all' ? STATUSES : [status];
  const counts = await Promise.all(
    statuses.map((one) => countCollection(reportsPartition(one), undefined, 'collection')),
  );
  const total = counts.reduce((sum, one) => sum + one, 0);
  if (skip >= total) return { reports: [], total };
  const places =
    status === 'all'
      ? await mergedPlaces(STATUSES, skip, count)
      : await pageOfCollection(rangeOf(status), skip, count, total);
  const reports = await findItems(places.map(({ pk, sk }): Key => ({ pk: String(pk), sk: String(sk) })));
  return { reports: reports.flatMap((item) => (item ? [reportOf(item)] : [])), total };
};

/** Takes away what was reported of a project that is gone, with the ways that lead there. @returns how many there were. */
export const removeReports = async (projectId: string): Promise<number> => {
  let removed = 0;
  const range = { partition: projectPartition(projectId), prefix: projectPrefix.reports, only: ['id', 'pk', 'sk'] };
  for await (const items of collectionPages(range)) {
    // The ways first: should the process die in between, the reports still say which there are.
    await removeItems(items.map(({ id }) => reportIdKey(String(id))));
    await removeItems(items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })));
    removed += items.length;
  }
  return removed;
};
