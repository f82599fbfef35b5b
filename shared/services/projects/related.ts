import type { Project } from '#contract/projects.ts';
import { catalog } from '#data/catalog.ts';
import type { Caller } from '#model/api-key.ts';
import type { ProjectRecord } from '#model/project.ts';
import { listingFor } from './fragments.ts';
import { getProject, publicView } from './read.ts';
import { fittingFragments } from './short-listings.ts';

/** Live projects that share tags or categories with a project. @throws 404 for one that the caller does not see. */
export const relatedProjects = async (caller: Caller | undefined, reference: string, max: number) => {
  const { project } = await getProject(caller, reference);
  const related = (await catalog()).related(project, max);
  return { data: fittingFragments(related.map((entry) => listingFor(entry, caller))) };
};

/** Live projects that share tags or categories with a live one, as everyone sees them. */
export const relatedListings = async (project: ProjectRecord, max: number): Promise<Project[]> =>
  (await catalog()).related(project, max).map(publicView);
