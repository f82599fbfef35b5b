import type { AdminReport, ReportStatus } from '#contract/reports.ts';
import { notFound } from '#shared/errors.ts';
import { retryOnConflict } from './conflict.ts';
import { changeCounts, projectIsOpen } from './counts.ts';
import {
  inOwnerCollection,
  inReportStatus,
  type Key,
  ownerPartition,
  ownerPrefix,
  projectKey,
  projectPartition,
  projectPrefix,
  reportIdKey,
  reportKey,
  reportsPartition,
} from './keys.ts';
import {
  collectionPages,
  countCollection,
  findItem,
  findRecord,
  findRecords,
  firstOfCollection,
  type Item,
  keyOf,
  pageOfCollection,
  wholeCollection,
} from './read.ts';
import { userNotErased } from './users.ts';
import { absent, deleteItem, deleteItems, exists, is, transact, type Write } from './write.ts';

/** A report as stored. `version` increases with every write. */
export interface ReportRecord extends AdminReport {
  readonly version: number;
}

// A report has two items: one per user and project, and a pointer to it by report id, which also lists it under its
// author. The report of an erased author has its own id in place of the author's.

/** @param userId the author; the report's own id once the author is erased. */
export const findReportOf = (projectId: string, userId: string) =>
  findRecord<ReportRecord>(reportKey(projectId, userId));

export const findReport = async (reportId: string): Promise<ReportRecord | undefined> => {
  const pointer = await findItem(reportIdKey(reportId));
  return pointer && (await findReportOf(String(pointer.project_id), String(pointer.user_id ?? reportId)));
};

const reportItem = (report: ReportRecord): Item & Key => ({
  ...reportKey(report.project_id, report.user_id ?? report.id),
  ...inReportStatus(report.status, report.created_at, report.id),
  type: 'report',
  ...report,
});

/** The write that counts a report of a project that may have been purged since the report was read. */
const countOpen = (previous: ReportRecord, next: ReportRecord): Write[] => {
  const change = Number(next.status === 'open') - Number(previous.status === 'open');
  const counts = changeCounts(next.project_id, { reports_open: change });
  return change === 0 ? [] : [{ ...counts, when: is('type', counts.change.set.type), orElse: notFound }];
};

/**
 * Replaces a report, or inserts it if `previous` is undefined.
 * @throws ConditionFailed when the stored version is not that of `previous`. For a new report 404 when the project is not
 * open, 401 when the author was erased; for another one 404 when the project was purged.
 */
export const replaceReport = async (previous: ReportRecord | undefined, next: ReportRecord): Promise<void> => {
  const { id, project_id } = next;
  const user_id = next.user_id ?? id;
  await transact([
    ...(previous
      ? countOpen(previous, next)
      : [
          projectIsOpen(project_id),
          userNotErased(user_id),
          changeCounts(project_id, { reports_count: 1, reports_open: 1 }),
        ]),
    { put: reportItem(next), when: previous ? is('version', previous.version) : absent },
    ...(previous
      ? []
      : [
          {
            put: {
              ...reportIdKey(id),
              ...inOwnerCollection(user_id, 'REPORT', id),
              type: 'reportId',
              id,
              project_id,
              user_id,
            },
          },
        ]),
  ]);
};

/**
 * Removes the author and their words from a report. A report of a purged project is deleted.
 * @returns false when it has no author any more.
 */
export const anonymizeReport = (reportId: string): Promise<boolean> =>
  retryOnConflict(async () => {
    const pointer = await findItem(reportIdKey(reportId));
    if (pointer?.user_id === undefined) return false;
    const [projectId, userId] = [String(pointer.project_id), String(pointer.user_id)];
    const report = await findReportOf(projectId, userId);
    if (!report || !(await findItem(projectKey(projectId)))) {
      await deleteItem(reportKey(projectId, userId));
      // A concurrent run that has just removed the author keeps the pointer.
      return await deleteItem(reportIdKey(reportId), is('user_id', userId));
    }
    await transact([
      // A purge that begins now finds the report.
      { check: projectKey(projectId), when: exists },
      { delete: reportKey(projectId, userId), when: is('version', report.version) },
      { put: reportItem({ ...report, user_id: null, reason: '', details: null, version: report.version + 1 }) },
      { put: { ...reportIdKey(reportId), type: 'reportId', id: reportId, project_id: projectId }, when: exists },
    ]);
    return true;
  });

const STATUSES: readonly ReportStatus[] = ['open', 'resolved', 'dismissed'];

const rangeOf = (status: ReportStatus) =>
  ({
    partition: reportsPartition(status),
    index: 'collection',
    newestFirst: true,
    only: ['id', 'pk', 'sk', 'collection_sk', 'project_id'],
  }) as const;

/** The keys of reports of several statuses in their common order. */
const newestFirst = (keys: readonly Item[]): Item[] => {
  // The index may list a report under two statuses while its status changes.
  const byPosition = new Map(keys.map((item) => [String(item.collection_sk), item]));
  return [...byPosition].toSorted(([a], [b]) => (a < b ? 1 : -1)).map(([, item]) => item);
};

/** The keys of a page of reports of several statuses, newest first. */
const mergedKeys = async (statuses: readonly ReportStatus[], skip: number, count: number): Promise<Item[]> => {
  // A page may consist of one status only, so the keys up to its end are read of each.
  const lists = await Promise.all(statuses.map((status) => pageOfCollection(rangeOf(status), 0, skip + count)));
  return newestFirst(lists.flat()).slice(skip, skip + count);
};

/** A page of reports, newest first, with the exact total. The index is counted; only the items of the page are read. */
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
  const keys =
    status === 'all'
      ? await mergedKeys(STATUSES, skip, count)
      : await pageOfCollection(rangeOf(status), skip, count, total);
  return { reports: await findRecords(keys.map(keyOf)), total };
};

interface GroupedReports {
  readonly projectId: string;
  readonly count: number;
  /** The newest ones. */
  readonly reports: ReportRecord[];
}

/**
 * A page of the projects with reports of a status, those with the newest reports first, with the exact total. The whole
 * index of the status is read, as for the total of `pageOfReports`.
 * @param newest how many reports of each project are read.
 */
export const pageOfGroups = async (
  status: ReportStatus | 'all',
  skip: number,
  count: number,
  newest: number,
): Promise<{ groups: GroupedReports[]; total: number }> => {
  const statuses = status === 'all' ? STATUSES : [status];
  const lists = await Promise.all(statuses.map((one) => wholeCollection(rangeOf(one))));
  const byProject = Map.groupBy(newestFirst(lists.flat()), ({ project_id }) => String(project_id));
  const groups = await Promise.all(
    [...byProject].slice(skip, skip + count).map(async ([projectId, own]) => ({
      projectId,
      count: own.length,
      reports: await findRecords<ReportRecord>(own.slice(0, newest).map(keyOf)),
    })),
  );
  return { groups, total: byProject.size };
};

/** The number of open reports among the first `max` reports of a project. */
export const countOpenReports = async (projectId: string, max: number): Promise<number> => {
  const range = { partition: projectPartition(projectId), prefix: projectPrefix.reports, only: ['status'] };
  return (await firstOfCollection(range, max)).filter(({ status }) => status === 'open').length;
};

/** The newest reports by a user, from the index, which follows the table within moments. */
export const newestReportsBy = async (userId: string, count: number): Promise<ReportRecord[]> => {
  const range = { partition: ownerPartition(userId), index: 'collection', newestFirst: true } as const;
  const pointers = await firstOfCollection({ ...range, prefix: ownerPrefix.reports }, count);
  return await findRecords(pointers.map(({ project_id }) => reportKey(String(project_id), userId)));
};

/** Deletes the reports of a purged project and their pointers. @returns how many reports. */
export const deleteReports = async (projectId: string): Promise<number> => {
  let removed = 0;
  const range = { partition: projectPartition(projectId), prefix: projectPrefix.reports, only: ['id', 'pk', 'sk'] };
  for await (const items of collectionPages(range)) {
    // Pointers first: if the process dies in between, the next run still finds them through the reports.
    await deleteItems(items.map(({ id }) => reportIdKey(String(id))));
    await deleteItems(items.map(keyOf));
    removed += items.length;
  }
  return removed;
};
