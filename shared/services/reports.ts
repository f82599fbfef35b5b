import {
  type AdminReport,
  REPORTS_OF_GROUP_MAX,
  type Report,
  type ReportBody,
  type ReportGroup,
  type ReportResolution,
  type ReportStatus,
  type ResolvedReport,
} from '#contract/reports.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { type Paging, pageMeta, skipOf } from '#data/paging.ts';
import { existingProjects, findProject } from '#data/projects.ts';
import {
  findReport,
  findReportOf,
  pageOfGroups,
  pageOfReports,
  type ReportRecord,
  replaceReport,
} from '#data/reports.ts';
import type { Caller } from '#model/api-key.ts';
import { isModerator, isOwn, mustBeAllowed, mustNotBeOwn } from '#model/policy.ts';
import { firstFitting, shortenedToFit } from '#model/response-size.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { getOpenProject } from '#services/projects/read.ts';
import { rejectReported, removeAnyProject } from '#services/projects/update.ts';
import { AppError, mustExist } from '#shared/errors.ts';

/**
 * Stores a report; it replaces and reopens an earlier one by the same user on the same project.
 * @param seed the ULID that the attempts of a request share: a retry finds the report that an earlier attempt has stored.
 * @throws 404 unless the project is open.
 */
export const fileReport = (
  user: UserRecord,
  reference: string,
  body: ReportBody,
  seed?: string,
): Promise<{ report: Report; isFirst: boolean }> =>
  retryOnConflict(async () => {
    const { project } = await getOpenProject(reference);
    const previous = await findReportOf(project.id, user.id);
    const id = newId('rep', seed);
    if (previous?.id === id) return { report: previous, isFirst: true };
    const at = now();
    const next: ReportRecord = {
      id: previous?.id ?? id,
      project_id: project.id,
      user_id: user.id,
      reason: body.reason,
      details: body.details ?? null,
      status: 'open',
      note: null,
      created_at: previous?.created_at ?? at,
      updated_at: at,
      version: (previous?.version ?? 0) + 1,
    };
    await replaceReport(previous, next);
    return { report: next, isFirst: previous === undefined };
  });

/** @throws 404. */
const getReport = async (reportId: string): Promise<ReportRecord> => mustExist(await findReport(reportId));

/** A report that the staff may resolve. @throws 404; 403 for a moderator who owns the reported project. */
export const getResolvableReport = async (staff: Caller, reportId: string): Promise<ReportRecord> => {
  const report = await getReport(reportId);
  const project = (await findProject(report.project_id))?.project;
  if (project) mustNotBeOwn(project, staff);
  return report;
};

/**
 * Sets the status of a report.
 * @param note replaces an earlier one unless it is undefined.
 * @throws 404; 403 for a moderator who owns the reported project.
 */
export const resolveReport = (
  staff: Caller,
  reportId: string,
  status: ReportStatus,
  note?: string | null,
): Promise<AdminReport> =>
  retryOnConflict(async () => {
    const previous = await getResolvableReport(staff, reportId);
    const next: ReportRecord = {
      ...previous,
      status,
      note: note === undefined ? previous.note : note,
      updated_at: now(),
      version: previous.version + 1,
    };
    await replaceReport(previous, next);
    return next;
  });

/** Owners do not see who reported their listing, also when they are moderators. */
const withoutReporter = (report: ReportRecord): ReportRecord => ({ ...report, user_id: null, details: null });

type ReportQuery = Paging & { readonly status: ReportStatus | 'all' };

/** What a group takes without its reports. */
const OTHERS_BYTES_MAX = 2000;

/** The groups of a page, with fewer reports in large ones when they do not fit into a response together. */
const fittingGroups = (groups: readonly ReportGroup[]): ReportGroup[] =>
  shortenedToFit(groups, (group, bytesMax) => ({
    ...group,
    reports: firstFitting(group.reports, bytesMax - OTHERS_BYTES_MAX),
  }));

/** A page of the projects with reports. The project of a group may be purged before its reports are. */
export const listReportGroups = async (staff: Caller, query: ReportQuery) => {
  const { groups, total } = await pageOfGroups(query.status, skipOf(query), query.limit, REPORTS_OF_GROUP_MAX);
  const projects = await existingProjects(groups.map(({ projectId }) => projectId));
  const data: ReportGroup[] = groups.flatMap(({ projectId, count, reports }) => {
    const project = projects.find((one) => one.id === projectId);
    if (!project) return [];
    const { id, slug, name } = project;
    const shown = isOwn(project, staff) ? reports.map(withoutReporter) : reports;
    return [{ project: { id, slug, name }, count, reports: shown }];
  });
  return { data: fittingGroups(data), meta: pageMeta(query, total, groups.length) };
};

/** A page of reports, newest first. */
export const listReports = async (staff: Caller, query: ReportQuery) => {
  const { reports, total } = await pageOfReports(query.status, skipOf(query), query.limit);
  const projects = isModerator(staff)
    ? await existingProjects([...new Set(reports.map(({ project_id }) => project_id))])
    : [];
  const own = new Set(projects.filter((project) => isOwn(project, staff)).map(({ id }) => id));
  const shown = reports.map((report) => (own.has(report.project_id) ? withoutReporter(report) : report));
  return { data: shown, meta: pageMeta(query, total, reports.length) };
};

/** Changes a reported project, unless it has been rejected or deleted already or is gone. @throws 400, 403, 404, 409. */
const changeReported = async (staff: Caller, projectId: string, { action, note }: ReportResolution): Promise<void> => {
  if (action === 'none') return;
  const project = (await findProject(projectId))?.project;
  if (!project || project.deleted_at !== null) return;
  if (action === 'delete') await removeAnyProject(staff, projectId);
  else if (project.status !== 'rejected') await rejectReported(staff, projectId, note ?? null);
};

/**
 * Resolves reports and changes the reported projects. The project is changed first: a process that ends in between leaves
 * the report open.
 * @returns a result per id, in the given order.
 * @throws 403 when a moderator deletes, or an API key without the scope of it.
 */
export const resolveReports = async (
  staff: Caller,
  resolution: ReportResolution,
): Promise<{ results: ResolvedReport[]; succeeded: number; failed: number }> => {
  if (resolution.action === 'delete') mustBeAllowed('edit', staff);
  const changes = new Map<string, Promise<void>>();
  const changeOnce = (projectId: string): Promise<void> => {
    const change = changes.get(projectId) ?? changeReported(staff, projectId, resolution);
    changes.set(projectId, change);
    return change;
  };
  const resolveOne = async (id: string): Promise<ResolvedReport> => {
    try {
      const { project_id } = await getResolvableReport(staff, id);
      await changeOnce(project_id);
      await resolveReport(staff, id, resolution.status, resolution.note);
      return { id, ok: true };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { id, ok: false, ...error.body };
    }
  };
  const { results } = await mapConcurrently(resolution.ids, resolveOne);
  const succeeded = results.filter(({ ok }) => ok).length;
  return { results, succeeded, failed: results.length - succeeded };
};
