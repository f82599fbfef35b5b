import { findProject } from '#data/projects.ts';
import { findReport, findReportOf, replaceReport } from '#data/reports.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';

/** What the verbs of reports work with. */
export const reportPorts = { now, newId, findProject, findReport, findReportOf, replaceReport };
