import { forbidden, notFound } from '#shared/errors.ts';
import type { ProjectRecord } from './project.ts';
import type { UserRecord } from './user.ts';

type Caller = Pick<UserRecord, 'id' | 'is_admin' | 'is_banned'> | undefined;

/** Whether the caller acts as an administrator. A banned administrator is an ordinary user. */
export const hasAdminRights = (caller: Pick<UserRecord, 'is_admin' | 'is_banned'> | undefined): boolean =>
  caller?.is_admin === true && !caller.is_banned;

/** Live and not deleted: public, and open to votes, ratings, comments and reports. */
export const isOpen = (project: Pick<ProjectRecord, 'status' | 'deleted_at'>): boolean =>
  project.status === 'live' && project.deleted_at === null;

/** Whether the caller can read the project. Deleted projects are visible to administrators only. */
export const canSee = (project: Pick<ProjectRecord, 'status' | 'deleted_at' | 'owner_id'>, caller: Caller): boolean =>
  hasAdminRights(caller) ||
  (project.deleted_at === null && (project.status === 'live' || project.owner_id === caller?.id));

/** Whether the caller can change or delete the project, and read the fields for owners and administrators. */
export const canChange = (project: Pick<ProjectRecord, 'owner_id'>, caller: Caller): boolean =>
  caller !== undefined && (hasAdminRights(caller) || project.owner_id === caller.id);

/** @throws 404 when the project is invisible to the caller, 403 when it is visible but not theirs to change. */
export const mustBeChangeable = (
  project: Pick<ProjectRecord, 'status' | 'deleted_at' | 'owner_id'>,
  caller: Caller,
): void => {
  if (!canSee(project, caller)) throw notFound();
  if (!canChange(project, caller)) throw forbidden();
};
