import { findProject, type StoredProject } from '#data/projects.ts';
import type { Caller } from '#model/api-key.ts';
import { canSee, isOpen, mustNotBeOwn } from '#model/policy.ts';
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

/** Any project, for a route of administrators. @throws 404; 403 for an own listing of a moderator. */
export const getStaffProject = async (staff: Caller, reference: string): Promise<StoredProject> => {
  const stored = await findProject(reference);
  if (!stored) throw notFound();
  mustNotBeOwn(stored.project, staff);
  return stored;
};
