import type { RevisionField } from '#contract/projects.ts';
import type { LiveEdits } from '#contract/settings.ts';
import { findRevision } from '#data/revisions.ts';
import { newMessage } from '#events/catalogue.ts';
import { isOpen, mustBeChangeable } from '#model/policy.ts';
import { type ProjectRecord, projectEventData } from '#model/project.ts';
import { type ChangeOrigin, type PendingEdit, pendingTag, type RevisionDecision } from '#model/revision.ts';
import type { UserRecord } from '#model/user.ts';
import { settings } from '#platform/settings.ts';
import { changeProject, type Decision } from '#services/projects/change.ts';
import { conflict, forbidden, notFound, stale } from '#shared/errors.ts';

const material: ReadonlySet<RevisionField> = new Set(['name', 'url', 'slug', 'logo_url', 'categories']);

const waitsBySetting: Readonly<Record<LiveEdits, (field: RevisionField) => boolean>> = {
  immediate: () => false,
  review_material: (field) => material.has(field),
  review: () => true,
};

/** Which fields of an edit wait for approval: those of a live project that its owner edits, by `LIVE_EDITS`. */
export const waitingFields = (project: ProjectRecord, actor: UserRecord): ((field: RevisionField) => boolean) =>
  isOpen(project) && actor.id === project.owner_id ? waitsBySetting[settings().liveEdits] : waitsBySetting.immediate;

/** The event payload that describes a waiting edit. */
export const revisionEventData = (project: ProjectRecord, edit: PendingEdit) => ({
  ...projectEventData(project),
  revision_id: edit.id,
  fields: edit.changes.map(({ field }) => field),
});

const withdrawn = ({ changes }: PendingEdit): RevisionDecision => ({
  state: 'withdrawn',
  changes,
  applied: [],
  note: null,
});

/**
 * Completes a change of the waiting edit. A change of nothing else does not move the version that the owner and readers
 * see. An edit of which nothing is left is withdrawn.
 * @param isPublished whether published fields change as well.
 */
export const waitingDecision = (
  current: ProjectRecord,
  { next, origin, messages }: Decision,
  isPublished: boolean,
): Decision => {
  const edit = next.pending_revision;
  return {
    next: isPublished ? next : { ...next, waiting_writes: (current.waiting_writes ?? 0) + 1 },
    origin: {
      ...(!edit && current.pending_revision && { decision: withdrawn(current.pending_revision) }),
      ...origin,
    },
    messages: edit
      ? [...messages, newMessage('revisionSubmitted', origin.actorId, revisionEventData(next, edit))]
      : messages,
  };
};

/** @throws 412 unless `If-Match` is absent or has the tag of the revision. */
const mustMatchTag = (ifMatch: readonly string[] | undefined, tag: string): void => {
  if (ifMatch && !ifMatch.some((one) => one === '*' || one === tag)) throw stale();
};

/**
 * The waiting edit of a project.
 * @throws 404 when the project has no such revision, 412 for another state of it, 409 when it does not wait.
 */
export const waitingEditOf = async (
  project: ProjectRecord,
  revisionId: string,
  ifMatch?: readonly string[],
): Promise<PendingEdit> => {
  const edit = project.pending_revision;
  if (edit?.id === revisionId) {
    mustMatchTag(ifMatch, pendingTag(edit));
    return edit;
  }
  const revision = await findRevision(project.id, revisionId);
  if (!revision) throw notFound();
  mustMatchTag(ifMatch, revision.etag);
  throw conflict('INVALID_TRANSITION', 'The revision does not wait for approval.');
};

/** Withdraws the waiting edit of a project, by its owner. @throws 404, 403, 409 when it does not wait. */
export const withdrawEdit = async (owner: UserRecord, reference: string, revisionId: string): Promise<void> => {
  await changeProject(reference, async (current) => {
    mustBeChangeable(current, owner);
    if (current.owner_id !== owner.id) throw forbidden();
    await waitingEditOf(current, revisionId);
    const next = { ...current, pending_revision: null };
    const origin: ChangeOrigin = { cause: 'edited', actorId: owner.id };
    return waitingDecision(current, { next, origin, messages: [] }, false);
  });
};
