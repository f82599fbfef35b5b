import { forbidden, notFound, outOfScope } from '#shared/errors.ts';
import type { Caller as Staff } from './api-key.ts';
import type { ProjectRecord } from './project.ts';
import type { UserRecord } from './user.ts';

type Caller = Pick<UserRecord, 'id' | 'is_admin' | 'is_banned'> | undefined;

/** Whether the caller acts as an administrator. A banned administrator is an ordinary user. */
export const hasAdminRights = (caller: Pick<UserRecord, 'is_admin' | 'is_banned'> | undefined): boolean =>
  caller?.is_admin === true && !caller.is_banned;

/** Whether a user has the role of moderators. It has an effect while the feature `moderators` is enabled. */
export const isModerator = ({ role, is_banned }: Pick<UserRecord, 'role' | 'is_banned'>): boolean =>
  role === 'moderator' && !is_banned;

/** Whether a caller has no verified email address. API keys have none and need none: their scopes say what they may do. */
export const lacksVerifiedEmail = ({ scopes, email_verified }: Staff): boolean =>
  scopes === undefined && !email_verified;

/** Live and not deleted: public, and open to votes, ratings, comments and reports. */
export const isOpen = (project: Pick<ProjectRecord, 'status' | 'deleted_at'>): boolean =>
  project.status === 'live' && project.deleted_at === null;

/** Approved, and pending until its time of publication. */
export const isScheduled = (
  project: Pick<ProjectRecord, 'status' | 'deleted_at' | 'approved_at' | 'published_at'>,
): boolean =>
  project.status === 'pending' &&
  project.approved_at !== null &&
  project.published_at === null &&
  project.deleted_at === null;

/** An approval that waits ends when the project is rejected or deleted. */
export const withoutCancelledApproval = (project: ProjectRecord): ProjectRecord =>
  project.approved_at !== null && (project.status === 'rejected' || project.deleted_at !== null)
    ? { ...project, approved_at: null }
    : project;

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

// On the routes of administrators, the caller is an administrator, a moderator or an API key with a scope of the route.

export const isOwn = (project: Pick<ProjectRecord, 'owner_id'>, staff: Staff): boolean =>
  isModerator(staff) && project.owner_id === staff.id;

/** @throws 403 when a moderator edits or decides on an own listing. */
export const mustNotBeOwn = (project: Pick<ProjectRecord, 'owner_id'>, staff: Staff): void => {
  if (isOwn(project, staff)) throw forbidden();
};

/** @throws 403 when a moderator or an API key reads or decides a case about an own listing. */
export const mustNotBeParty = (project: Pick<ProjectRecord, 'owner_id'>, staff: Staff): void => {
  if (isParty(project, staff)) throw forbidden();
};

/** Whether a moderator or an API key is the owner. */
export const isParty = (project: Pick<ProjectRecord, 'owner_id'>, staff: Staff): boolean =>
  mayBeParty(staff) && project.owner_id === staff.id;

/** Administrators decide about their own listings too. */
export const mayBeParty = (staff: Staff): boolean => isModerator(staff) || staff.scopes !== undefined;

/** Fields of the general edit that only administrators change. */
const ADMIN_FIELDS: ReadonlySet<string> = new Set(['status', 'plan', 'owner_id']);

/** @throws 403 when a moderator or an API key changes a field that is not content, or a moderator an own listing. */
export const mustBeEditable = (
  project: Pick<ProjectRecord, 'owner_id'>,
  changed: readonly string[],
  staff: Staff,
): void => {
  mustNotBeOwn(project, staff);
  const reserved = changed.some((field) => ADMIN_FIELDS.has(field));
  if (staff.scopes && reserved) throw outOfScope();
  if (isModerator(staff) && (reserved || changed.includes('deleted_at'))) throw forbidden();
};

/** Whether listings are decided on, or changed and deleted. */
type Change = 'decide' | 'edit';

/** @throws 403 for changes of many listings that moderators may not make, or that no scope of an API key covers. */
export const mustBeAllowed = (change: Change, staff: Staff): void => {
  if (staff.scopes && !staff.scopes.includes(change === 'decide' ? 'moderation' : 'projects:write')) throw outOfScope();
  if (isModerator(staff) && change === 'edit') throw forbidden();
};
