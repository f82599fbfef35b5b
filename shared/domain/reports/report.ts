import type { Report, ReportBody, ReportStatus } from '#contract/reports.ts';
import type { Workshop } from '#domain/messages.ts';
import { type Paging, pageMeta, skipOf } from '#domain/paging.ts';
import { isOpen } from '#domain/projects/policy.ts';
import type { ProjectRecord } from '#domain/projects/project.ts';
import { retried } from '#domain/retried.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { notFound } from '#shared/errors.ts';

/** A report as it is kept; `version` grows with every write. */
export interface ReportRecord extends Report {
  readonly version: number;
}

/** What dealing with reports takes. */
export interface ReportPorts extends Workshop {
  readonly findProject: (reference: string) => Promise<{ project: ProjectRecord } | undefined>;
  readonly findReportOf: (projectId: string, userId: string) => Promise<ReportRecord | undefined>;
  readonly findReport: (reportId: string) => Promise<ReportRecord | undefined>;
  /** @throws an error named `ConditionFailed` when the report is not as `previous` any more. */
  readonly replaceReport: (previous: ReportRecord | undefined, next: ReportRecord) => Promise<void>;
}

/** The report as callers see it. */
const reportView = ({ version: _version, ...report }: ReportRecord): Report => report;

/**
 * Takes a report in, in place of an earlier one of the same user on the same project.
 * @returns the report, and whether it is the first. @throws 404 unless the project is open.
 */
export const fileReport = (
  ports: Omit<ReportPorts, 'findReport'>,
  user: UserRecord,
  reference: string,
  body: ReportBody,
): Promise<{ report: Report; isFirst: boolean }> =>
  retried('ConditionFailed', async () => {
    const stored = await ports.findProject(reference);
    if (!stored || !isOpen(stored.project)) throw notFound();
    const previous = await ports.findReportOf(stored.project.id, user.id);
    const at = ports.now();
    const next: ReportRecord = {
      id: previous?.id ?? ports.newId('rep'),
      project_id: stored.project.id,
      user_id: user.id,
      reason: body.reason,
      details: body.details || null,
      status: 'open',
      created_at: previous?.created_at ?? at,
      updated_at: at,
      version: (previous?.version ?? 0) + 1,
    };
    await ports.replaceReport(previous, next);
    return { report: reportView(next), isFirst: previous === undefined };
  });

/** Says what became of a report. @throws 404. */
export const settleReport = (
  ports: Pick<ReportPorts, 'findReport' | 'replaceReport' | 'now'>,
  reportId: string,
  status: ReportStatus,
): Promise<Report> =>
  retried('ConditionFailed', async () => {
    const previous = await ports.findReport(reportId);
    if (!previous) throw notFound();
    const next = { ...previous, status, updated_at: ports.now(), version: previous.version + 1 };
    await ports.replaceReport(previous, next);
    return reportView(next);
  });

/** What listing reports takes. */
export interface ListPorts {
  /** All reports of a status, or all, newest first; `total` is exact. */
  readonly pageOfReports: (
    status: ReportStatus | 'all',
    skip: number,
    count: number,
  ) => Promise<{ reports: ReportRecord[]; total: number }>;
}

/** A page of reports, newest first. */
export const listReports = async (ports: ListPorts, query: Paging & { readonly status: ReportStatus | 'all' }) => {
  const { reports, total } = await ports.pageOfReports(query.status, skipOf(query), query.limit);
  return { data: reports.map(reportView), meta: pageMeta(query, total, reports.length) };
};
