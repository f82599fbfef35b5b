import type { UserRecord } from '#domain/users/user.ts';
import { notFound } from '#shared/errors.ts';
import { canSee } from './policy.ts';
import type { ProjectCounts, ProjectRecord } from './project.ts';

/** What reading takes. */
export interface ReadPorts {
  readonly findProject: (reference: string) => Promise<{ project: ProjectRecord; counts: ProjectCounts } | undefined>;
}

/** A project by id, slug or earlier slug. @throws 404 also when the caller may not know of it. */
export const readProject = async (ports: ReadPorts, caller: UserRecord | undefined, reference: string) => {
  const stored = await ports.findProject(reference);
  if (!stored || !canSee(stored.project, caller)) throw notFound();
  return stored;
};
