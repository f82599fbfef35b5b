import type { Revision } from '#contract/revisions.ts';
import { findProject } from '#data/projects.ts';
import { revisionsOf } from '#data/revisions.ts';
import { ledgerPage } from '#model/paging.ts';
import { hasAdminRights, mustBeChangeable } from '#model/policy.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { RevisionRecord } from '#model/revision.ts';
import type { UserRecord } from '#model/user.ts';
import { notFound } from '#shared/errors.ts';
import { revisionViews } from './view.ts';

/** A project whose revisions the caller may read. @throws 404, 403. */
export const getRevisedProject = async (caller: UserRecord, reference: string): Promise<ProjectRecord> => {
  const stored = await findProject(reference);
  if (!stored) throw notFound();
  mustBeChangeable(stored.project, caller);
  return stored.project;
};

/** A page of the revisions of a project, newest first. @throws 404, 403. */
export const listRevisions = async (
  caller: UserRecord,
  reference: string,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
) => {
  const { id } = await getRevisedProject(caller, reference);
  const revisions: RevisionRecord[] = [];
  for await (const revision of revisionsOf(id, limit + 1)) {
    if (after === undefined || revision.id < after) revisions.push(revision);
    if (revisions.length > limit) break;
  }
  const { data, meta } = ledgerPage(revisions, limit);
  const views: Revision[] = await revisionViews(data, hasAdminRights(caller) ? 'staff' : 'owner');
  return { data: views, meta };
};
