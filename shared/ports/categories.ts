import { catalog } from '#data/catalog.ts';
import {
  allCategories,
  findCategory,
  findLeavingSlug,
  insertCategory,
  isNobodyElses,
  releaseSlug,
  removeCategory,
  replaceCategories,
} from '#data/categories.ts';
import { findProject, replaceProject } from '#data/projects.ts';
import { type CarryOverPorts, carryOver } from '#domain/categories/carry-over.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { log } from '#platform/log.ts';

/** How long one round of carrying over takes at most within a request, in milliseconds: three fit into the gateway's 29 seconds. */
const REQUEST_BUDGET_MS = 8000;
/** What the task that finishes has, in milliseconds. */
const TASK_BUDGET_MS = 280_000;

const projects: CarryOverPorts = {
  catalog,
  findProject,
  replaceWhileLeaving:
    ({ from, categoryId }) =>
    (previous, next, messages) =>
      replaceProject(previous, next, messages, [isNobodyElses(from, categoryId)]),
};

/** What the verbs of categories work with. */
export const categoryPorts = {
  now,
  newId,
  catalog,
  allCategories,
  findCategory,
  insertCategory,
  replaceCategories,
  removeCategory,
  findLeavingSlug,
  releaseSlug,
  carryOver: carryOver(projects, REQUEST_BUDGET_MS, (error) => {
    log.warn('carrying a category over is left to its task', { error: error as Error });
  }),
};

/** What the task that finishes a category's change works with. */
export const finishPorts = { findLeavingSlug, releaseSlug, carryOver: carryOver(projects, TASK_BUDGET_MS) };
