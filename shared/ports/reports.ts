import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { findProject } from './projects.ts';
import { findReport, findReportOf, replaceReport } from './reports.ts';

/** What the verbs of reports work with. */
export const reportPorts = { now, newId, findProject, findReport, findReportOf, replaceReport };
