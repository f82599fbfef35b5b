import { insertTracked, openDays, visitorOf } from '#data/analytics.ts';
import { addStep, namedProjects, projectRollUps, siteRollUps } from '#data/analytics-reports.ts';
import {
  applyStep,
  closeDay,
  findProjectDays,
  findSiteDay,
  findVisitors,
  forgetVisitors,
  liveProjects,
  trackedOf,
} from '#data/analytics-roll-up.ts';
import { findProject } from '#data/projects.ts';
import { TRANSACTION_MAX } from '#data/write.ts';
import { isBot } from '#platform/bots.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';

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
