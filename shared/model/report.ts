import type { AdminReport, Report } from '#contract/reports.ts';

/** A report as stored. `version` increases with every write. */
export interface ReportRecord extends AdminReport {
  readonly version: number;
}

/** The report as its author sees it. */
export const reportView = ({ version: _version, note: _note, ...report }: ReportRecord): Report => report;

/** The report as administrators see it. */
export const adminReportView = ({ version: _version, ...report }: ReportRecord): AdminReport => report;
