import type { ProjectCounts } from '#domain/projects/project.ts';
import { notFound } from '#shared/errors.ts';
import { every, exists, is } from './conditions.ts';
import { countsKey, projectKey } from './keys.ts';
import { countsOf } from './project-items.ts';
import { findItem } from './read.ts';
import type { Write } from './write.ts';

/** The counters of a project at this moment. */
export const readCounts = async (projectId: string): Promise<ProjectCounts> =>
  countsOf(await findItem(countsKey(projectId)));

/** The condition of every reaction: the project is live and not deleted. Otherwise 404. */
export const projectIsOpen = (projectId: string): Write => ({
  check: projectKey(projectId),
  when: every(exists, is('status', 'live'), is('deleted_at', null)),
  orElse: notFound,
});

type Steps = Partial<Record<Exclude<keyof ProjectCounts, 'version'>, number>>;

/** Adds to the counters of a project; it belongs into the transaction of the reaction, so they are always exact. */
export const changeCounts = (projectId: string, steps: Steps): Write => ({
  update: countsKey(projectId),
  inFeed: true,
  change: { set: { type: 'counts', project_id: projectId }, add: { ...steps, version: 1 } },
});
