import { writeProjects } from '#data/import-projects.ts';
import { clearRemains } from '#data/leftovers.ts';
import { findProject, slugHolders } from '#data/projects.ts';
import type { ImportPorts } from '#domain/projects/import-ports.ts';
import { settings } from '#platform/settings.ts';
import { categoryPorts } from './categories.ts';

/** What is left of the gateway's 29 seconds once the file is read, with some for finishing, in milliseconds. */
const BUDGET_MS = 25_000;

/** What the verb that imports projects works with. */
export const importPorts: ImportPorts = {
  ...categoryPorts,
  findProject,
  slugHolders,
  clearRemains,
  writeProjects,
  refusesDuplicateUrls: () => settings().duplicateUrls === 'reject',
  budgetMs: BUDGET_MS,
};
