import type { Project } from '#contract/projects.ts';
import { projectTag, projectView } from '#domain/projects/view.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { duplicatesOf } from './duplicates.ts';
import type { StoredProject } from './projects.ts';
import { spheresOf } from './spheres.ts';

/** A stored project as this caller sees it, with its tag. */
export const shownProject = async (
  { project, counts }: StoredProject,
  caller: UserRecord | undefined,
): Promise<{ view: Project; tag: string }> => {
  const spheres = await spheresOf(project.categories);
  const extras = caller?.is_admin ? { duplicates: await duplicatesOf(project) } : {};
  return { view: projectView({ project, counts, spheres }, caller, extras), tag: projectTag(project) };
};
