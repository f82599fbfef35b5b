import type { ProjectParts } from '#domain/projects/view.ts';
import { findProject } from './projects.ts';
import { spheresOf } from './spheres.ts';

/** A project with what its public form is made of. */
export const findParts = async (projectId: string): Promise<ProjectParts | undefined> => {
  const stored = await findProject(projectId);
  return stored && { ...stored, spheres: await spheresOf(stored.project.categories) };
};
