import { findProject, type StoredProject } from '#data/projects.ts';
import { canSee, isOpen } from '#model/policy.ts';
import type { UserRecord } from '#model/user.ts';
import { notFound } from '#shared/errors.ts';

/** A project by id, slug or earlier slug. @throws 404, also when it is invisible to the caller. */
export const getProject = async (caller: UserRecord | undefined, reference: string): Promise<StoredProject> => {
  const stored = await findProject(reference);
  if (!stored || !canSee(stored.project, caller)) throw notFound();
  return stored;
};

/** A project that everyone can see and react to. @throws 404 unless it is live and not deleted. */
export const getOpenProject = async (reference: string): Promise<StoredProject> => {
  const stored = await findProject(reference);
  if (!stored || !isOpen(stored.project)) throw notFound();
  return stored;
};
