import type { ProjectCounts } from '#model/project.ts';
import { notFound } from '#shared/errors.ts';
import { countsKey, projectKey } from './keys.ts';
import { countsOf } from './projects.ts';
import { findItem } from './read.ts';
import { every, exists, is, type Write } from './write.ts';

/** The counters of a project; consistent. */
export const readCounts = async (projectId: string): Promise<ProjectCounts> =>
  countsOf(await findItem(countsKey(projectId)));

/** A check that fails the transaction with 404 unless the project is live and not deleted. */
export const projectIsOpen = (projectId: string): Write => ({
  check: projectKey(projectId),
  when: every(exists, is('status', 'live'), is('deleted_at', null)),
  orElse: notFound,
});

type Changes = Partial<Record<Exclude<keyof ProjectCounts, 'version'>, number>>;

/** Adds to the counters of a project, in the transaction of the reaction, so that they stay exact. */
export const changeCounts = (projectId: string, changes: Changes): Write => ({
  update: countsKey(projectId),
  inFeed: 'bySecond',
  change: { set: { type: 'counts', project_id: projectId }, add: { ...changes, version: 1 } },
});
