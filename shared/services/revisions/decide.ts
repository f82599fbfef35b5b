import { ContentChange, type FieldChange, type RevisionField } from '#contract/projects.ts';
import type { Approval } from '#contract/revisions.ts';
import type { StoredProject } from '#data/projects.ts';
import { newMessage } from '#events/catalogue.ts';
import type { Caller } from '#model/api-key.ts';
import { mustNotBeOwn } from '#model/policy.ts';
import { type ProjectRecord, projectEventData } from '#model/project.ts';
import { outdatedFields, type PendingEdit, valuesAfter } from '#model/revision.ts';
import { now } from '#platform/clock.ts';
import { changeProject } from '#services/projects/change.ts';
import {
  currentChanges,
  mergeContent,
  mustHaveOwnSlug,
  mustNotBeMissing,
  mustNotBeReserved,
  resolveCategories,
} from '#services/projects/content.ts';
import { mustHaveOwnUrl } from '#services/projects/update.ts';
import { conflict, invalidField } from '#shared/errors.ts';
import { revisionEventData, waitingDecision, waitingEditOf } from './waiting-edit.ts';

/** The named changes of a revision. @throws 400 for a field that is not among them. */
export const namedChanges = (
  changes: readonly FieldChange[],
  fields: readonly RevisionField[] | undefined,
): readonly FieldChange[] => {
  const foreign = fields?.find((name) => !changes.some(({ field }) => field === name));
  if (foreign !== undefined) throw invalidField(['fields'], `"${foreign}" is not a field of the revision`);
  return fields ? changes.filter(({ field }) => fields.includes(field)) : changes;
};

/** @throws 409 for fields that were changed since they were edited. */
const mustNotConflict = (project: ProjectRecord, changes: readonly FieldChange[]): void => {
  const outdated = outdatedFields(project, changes);
  if (outdated.length > 0) throw conflict('CONFLICTING_EDIT', `Changed since the edit: ${outdated.join(', ')}.`);
};

/** Restoring the revision brings back what it replaced, which may have changed since the edit. */
const changesAsPublished = (
  current: ProjectRecord,
  edit: PendingEdit,
  applied: readonly RevisionField[],
): readonly FieldChange[] =>
  edit.changes.map((change) =>
    applied.includes(change.field) ? { ...change, before: current[change.field] as FieldChange['before'] } : change,
  );

/**
 * Publishes a waiting edit, or the named fields of it; the others are dropped.
 * @throws 404, 403 for the own listing of a moderator, 412 for another state of the edit, 409 when it is decided, conflicts or its slug or URL is taken, 400 for a
 * foreign field or a category that is gone. The edit then still waits.
 */
export const approveRevision = (
  staff: Caller,
  reference: string,
  revisionId: string,
  { fields, note = null, force }: Approval,
  ifMatch: readonly string[] | undefined,
): Promise<StoredProject> =>
  changeProject(reference, async (current) => {
    mustNotBeOwn(current, staff);
    const waiting = await waitingEditOf(current, revisionId, ifMatch);
    const edit = { ...waiting, changes: await currentChanges(waiting.changes) };
    const changes = namedChanges(edit.changes, fields);
    if (!force) mustNotConflict(current, changes);
    const { resolved, missing } = await resolveCategories(valuesAfter(changes), current.categories);
    const { next, changed } = mergeContent(current, resolved, now(), ContentChange);
    mustNotBeMissing(missing);
    if (next.slug !== current.slug) mustNotBeReserved(next.slug);
    await mustHaveOwnSlug(current, next);
    await mustHaveOwnUrl(current, next);
    const applied = changes.map(({ field }) => field);
    const decision = {
      state: 'approved',
      changes: changesAsPublished(current, edit, applied),
      applied,
      note: note || null,
    } as const;
    const data = projectEventData(next);
    return waitingDecision(
      current,
      {
        next: { ...next, pending_revision: null },
        origin: { cause: 'moderated', actorId: staff.id, decision },
        messages: [
          ...(changed.length > 0 ? [newMessage('projectUpdated', staff.id, { ...data, changed: [...changed] })] : []),
          newMessage('revisionApproved', staff.id, { ...revisionEventData(next, edit), applied }),
        ],
      },
      changed.length > 0,
    );
  });

/** Ends a waiting edit without publishing any of it. @throws 404, 403 for the own listing of a moderator, 412 for another state of the edit, 409 when it is decided. */
export const rejectRevision = (
  staff: Caller,
  reference: string,
  revisionId: string,
  { reason, note = null }: { readonly reason: string; readonly note?: string | null | undefined },
  ifMatch: readonly string[] | undefined,
): Promise<StoredProject> =>
  changeProject(reference, async (current) => {
    mustNotBeOwn(current, staff);
    const edit = await waitingEditOf(current, revisionId, ifMatch);
    const decision = { state: 'rejected', changes: edit.changes, applied: [], note: note || null } as const;
    return waitingDecision(
      current,
      {
        next: { ...current, pending_revision: null },
        origin: { cause: 'moderated', actorId: staff.id, decision },
        messages: [newMessage('revisionRejected', staff.id, { ...revisionEventData(current, edit), reason })],
      },
      false,
    );
  });
