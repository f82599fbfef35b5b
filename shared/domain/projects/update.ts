import { checked } from '#contract/checked.ts';
import {
  OwnContent,
  ProjectContent,
  type ProjectEdit,
  ProjectEdit as ProjectEditSchema,
  type ProjectUpdate,
} from '#contract/projects.ts';
import { message, type Workshop } from '#domain/messages.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { conflict, forbidden, notFound } from '#shared/errors.ts';
import { type ChangedProject, changeProject, mustMatch, type ProjectStore } from './change.ts';
import { type CategoryRegister, merge, mustExist, mustNotBeReserved } from './content.ts';
import { factsOf } from './facts.ts';
import { mustBeChangeable } from './policy.ts';
import type { ProjectRecord } from './project.ts';

/** What changing a project's fields takes. */
export interface UpdatePorts extends Workshop, ProjectStore, CategoryRegister {
  /** Ids of projects with this address, where a second one is refused; empty where it is allowed. */
  readonly refusedBecauseOf: (url: string) => Promise<readonly string[]>;
}

const mustHaveOwnAddress = async (ports: UpdatePorts, current: ProjectRecord, next: ProjectRecord): Promise<void> => {
  if (next.url === current.url && (next.deleted_at === null) === (current.deleted_at === null)) return;
  const others = (await ports.refusedBecauseOf(next.url)).filter((id) => id !== next.id);
  if (others.length > 0) throw conflict('DUPLICATE_URL', 'Another project has this address.');
};

const withAdminFields = (record: ProjectRecord, edit: ProjectEdit, at: string): ProjectRecord => {
  const status = edit.status ?? record.status;
  return {
    ...record,
    plan: edit.plan ?? record.plan,
    owner_id: edit.owner_id ?? record.owner_id,
    status,
    published_at: status === 'live' ? (record.published_at ?? at) : record.published_at,
    deleted_at: edit.deleted_at === undefined ? record.deleted_at : edit.deleted_at,
    rejection_reason:
      edit.rejection_reason === undefined
        ? status === 'rejected'
          ? record.rejection_reason
          : null
        : edit.rejection_reason || null,
  };
};

const adminFields = ['plan', 'owner_id', 'status', 'deleted_at', 'rejection_reason'] as const;

const changeFields = (
  ports: UpdatePorts,
  actor: UserRecord,
  reference: string,
  ifMatch: readonly string[] | undefined,
  decide: (current: ProjectRecord, at: string) => { next: ProjectRecord; changed: readonly string[] },
): Promise<ChangedProject> =>
  changeProject(ports, reference, async (current) => {
    const { next, changed } = decide(current, ports.now());
    await mustExist(
      ports,
      next.categories.filter((slug) => !current.categories.includes(slug)),
    );
    mustMatch(ifMatch, current);
    if (next.slug !== current.slug) mustNotBeReserved(next.slug);
    if (changed.length === 0) return { next: current, messages: [] };
    await mustHaveOwnAddress(ports, current, next);
    const data = { ...factsOf(next), changed: [...changed] };
    const wentAway = current.deleted_at === null && next.deleted_at !== null;
    return {
      next,
      messages: [
        wentAway
          ? message(ports, 'projectDeleted', actor.id, { ...factsOf(next), permanent: false })
          : message(ports, 'projectUpdated', actor.id, data),
      ],
    };
  });

/**
 * A record after an administrator's edit, and the names of the fields that differ; the record itself when none does.
 * @throws 400 when the merged record would not be valid, 409 for a reserved slug.
 */
export const edited = (current: ProjectRecord, edit: ProjectEdit, at: string, schema: typeof OwnContent) => {
  const merged = merge(current, edit, at, schema);
  const next = withAdminFields(merged.next, edit, at);
  const changed = [...merged.changed, ...adminFields.filter((field) => next[field] !== current[field])];
  return { next: changed.length === 0 ? current : { ...next, updated_at: at }, changed };
};

/**
 * Whether this caller may change this project in this way: asked before his words are looked at.
 * @param body as it came; a status in it is for administrators only.
 * @throws 404, 403.
 */
export const permitUpdate = async (
  ports: Pick<ProjectStore, 'findProject'>,
  actor: UserRecord,
  reference: string,
  body: unknown,
): Promise<void> => {
  const stored = await ports.findProject(reference);
  if (!stored) throw notFound();
  mustBeChangeable(stored.project, actor);
  const setsStatus = typeof body === 'object' && body !== null && 'status' in body && body.status !== undefined;
  if (setsStatus && !actor.is_admin) throw forbidden();
};

/**
 * Changes a project by its owner or an administrator. `plan`, counters and owner are not for sale here; a status is for
 * administrators only.
 * @throws 404, 403, 400 for the merged record, 412 for a stale `If-Match`, 409 for slug or address.
 */
export const updateProject = (
  ports: UpdatePorts,
  actor: UserRecord,
  reference: string,
  update: ProjectUpdate,
  ifMatch: readonly string[] | undefined,
): Promise<ChangedProject> =>
  changeFields(ports, actor, reference, ifMatch, (current, at) => {
    mustBeChangeable(current, actor);
    if (update.status === undefined) return merge(current, update, at, OwnContent);
    if (!actor.is_admin) throw forbidden();
    const { status } = checked(ProjectEditSchema.pick({ status: true }), { status: update.status });
    return edited(current, { ...update, status }, at, OwnContent);
  });

/** Changes any field of any project. @throws 404, 400 for the merged record, 412, 409. */
export const editProject = (
  ports: UpdatePorts,
  admin: UserRecord,
  reference: string,
  edit: ProjectEdit,
  ifMatch: readonly string[] | undefined,
): Promise<ChangedProject> =>
  changeFields(ports, admin, reference, ifMatch, (current, at) => edited(current, edit, at, ProjectContent));

/** Soft-deletes a project. @throws 404 when it is deleted already or the caller may not know of it, 403. */
export const deleteProject = (
  ports: Workshop & ProjectStore,
  actor: UserRecord,
  reference: string,
): Promise<ChangedProject> =>
  changeProject(ports, reference, (current) => {
    if (current.deleted_at !== null) throw notFound();
    mustBeChangeable(current, actor);
    const next: ProjectRecord = { ...current, deleted_at: ports.now() };
    return {
      next,
      messages: [message(ports, 'projectDeleted', actor.id, { ...factsOf(next), permanent: false })],
    };
  });
