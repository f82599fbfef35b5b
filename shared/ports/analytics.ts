import { isBot } from '#platform/bots.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { insertTracked, openDays, visitorOf } from './analytics.ts';
import { addStep, namedProjects, projectRollUps, siteRollUps } from './analytics-reports.ts';
import {
  applyStep,
  closeDay,
  findProjectDays,
  findSiteDay,
  findVisitors,
  forgetVisitors,
  liveProjects,
  trackedOf,
} from './analytics-roll-up.ts';
import { findProject } from './projects.ts';
import { TRANSACTION_MAX } from './write.ts';

/** What taking events works with. */
export const trackPorts = { now, newId, isBot, visitorOf, insertTracked };

/** What rolling them up works with. */
export const rollUpPorts = {
  now,
  writesMax: TRANSACTION_MAX,
  openDays,
  trackedOf,
  findSiteDay,
  liveProjects,
  findVisitors,
  findProjectDays,
  applyStep,
  forgetVisitors,
  closeDay,
};

/** What the report of the site works with. */
export const siteReportPorts = { now, siteRollUps, namedProjects };

/** What the report of a project works with. */
export const projectReportPorts = { now, findProject, projectRollUps };

/** What counting the steps of submissions works with. */
export const stepPorts = { addStep };
