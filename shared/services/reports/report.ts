import {
  type AdminReport,
  REPORTS_OF_GROUP_MAX,
  type Report,
  type ReportBody,
  type ReportGroup,
  type ReportStatus,
} from '#contract/reports.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { existingProjects } from '#data/projects.ts';
import { findReport, findReportOf, pageOfGroups, pageOfReports, replaceReport } from '#data/reports.ts';
import { type Paging, pageMeta, skipOf } from '#model/paging.ts';
import { adminReportView, type ReportRecord, reportView } from '#model/report.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { getOpenProject } from '#services/projects/get.ts';
import { notFound } from '#shared/errors.ts';

/**
 * Stores a report; it replaces and reopens an earlier one by the same user on the same project.
 * @throws 404 unless the project is open.
 */
export const fileReport = (
  user: UserRecord,
  reference: string,
  body: ReportBody,
): Promise<{ report: Report; isFirst: boolean }> =>
  retryOnConflict(async () => {
    const { project } = await getOpenProject(reference);
    const previous = await findReportOf(project.id, user.id);
    const at = now();
    const next: ReportRecord = {
      id: previous?.id ?? newId('rep'),
      project_id: project.id,
      user_id: user.id,
      reason: body.reason,
      details: body.details || null,
      status: 'open',
      note: null,
      created_at: previous?.created_at ?? at,
      updated_at: at,
      version: (previous?.version ?? 0) + 1,
    };
    await replaceReport(previous, next);
    return { report: reportView(next), isFirst: previous === undefined };
  });

/** @throws 404. */
export const getReport = async (reportId: string): Promise<ReportRecord> => {
  const report = await findReport(reportId);
  if (!report) throw notFound();
  return report;
};

/** Sets the status of a report. @param note replaces an earlier one unless it is undefined. @throws 404. */
export const resolveReport = (reportId: string, status: ReportStatus, note?: string | null): Promise<AdminReport> =>
  retryOnConflict(async () => {
    const previous = await getReport(reportId);
    const next: ReportRecord = {
      ...previous,
      status,
      note: note === undefined ? previous.note : note || null,
      updated_at: now(),
      version: previous.version + 1,
    };
    await replaceReport(previous, next);
    return adminReportView(next);
  });

type ReportQuery = Paging & { readonly status: ReportStatus | 'all' };

/** A page of the projects with reports. The project of a group may be purged before its reports are. */
export const listReportGroups = async (query: ReportQuery) => {
  const { groups, total } = await pageOfGroups(query.status, skipOf(query), query.limit, REPORTS_OF_GROUP_MAX);
  const projects = await existingProjects(groups.map(({ projectId }) => projectId));
  const data: ReportGroup[] = groups.flatMap(({ projectId, count, reports }) => {
    const project = projects.find((one) => one.id === projectId);
    if (!project) return [];
    const { id, slug, name } = project;
    return [{ project: { id, slug, name }, count, reports: reports.map(adminReportView) }];
  });
  return { data, meta: pageMeta(query, total, groups.length) };
};

/** A page of reports, newest first. */
export const listReports = async (query: ReportQuery) => {
  const { reports, total } = await pageOfReports(query.status, skipOf(query), query.limit);
  return { data: reports.map(adminReportView), meta: pageMeta(query, total, reports.length) };
};
