import type { UserRecord } from '#domain/users/user.ts';
import { forbidden, notFound } from '#shared/errors.ts';
import type { ProjectRecord } from './project.ts';

type Caller = Pick<UserRecord, 'id' | 'is_admin'> | undefined;

/** Live and not deleted: what everybody sees, votes for, rates and comments on. */
export const isOpen = (project: Pick<ProjectRecord, 'status' | 'deleted_at'>): boolean =>
  project.status === 'live' && project.deleted_at === null;

/** Whether the caller may know that the project exists. Deleted ones are known to administrators only. */
export const canSee = (project: Pick<ProjectRecord, 'status' | 'deleted_at' | 'owner_id'>, caller: Caller): boolean =>
  caller?.is_admin === true ||
  (project.deleted_at === null && (project.status === 'live' || project.owner_id === caller?.id));

/** Whether the caller may change or delete the project. Whoever may is also told what others are not. */
export const canChange = (project: Pick<ProjectRecord, 'owner_id'>, caller: Caller): boolean =>
  caller !== undefined && (caller.is_admin || project.owner_id === caller.id);

/** @throws 404 when the caller may not know of the project, 403 when he may but cannot change it. */
export const mustBeChangeable = (
  project: Pick<ProjectRecord, 'status' | 'deleted_at' | 'owner_id'>,
  caller: Caller,
): void => {
  if (!canSee(project, caller)) throw notFound();
  if (!canChange(project, caller)) throw forbidden();
};
