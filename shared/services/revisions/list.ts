import type { Revision } from '#contract/revisions.ts';
import { findProject } from '#data/projects.ts';
import { revisionsOf } from '#data/revisions.ts';
import type { Caller } from '#model/api-key.ts';
import { ledgerPage } from '#model/paging.ts';
import { hasAdminRights, isModerator, mustBeChangeable } from '#model/policy.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { RevisionRecord } from '#model/revision.ts';
import { settings } from '#platform/settings.ts';
import { notFound } from '#shared/errors.ts';
import { revisionViews } from './view.ts';

/**
 * Whether the caller reads revisions as staff: an administrator, an API key with a scope of the route, or a moderator who
 * does not own the project.
 */
const readsAsStaff = (caller: Caller, project: ProjectRecord): boolean =>
  hasAdminRights(caller) ||
  caller.scopes !== undefined ||
  (settings().features.moderators && isModerator(caller) && project.owner_id !== caller.id);

/** A project whose revisions the caller may read. @throws 404, 403. */
export const getRevisedProject = async (caller: Caller, reference: string): Promise<ProjectRecord> => {
  const stored = await findProject(reference);
  if (!stored) throw notFound();
  if (!readsAsStaff(caller, stored.project)) mustBeChangeable(stored.project, caller);
  return stored.project;
};

/** A page of the revisions of a project, newest first. @throws 404, 403. */
export const listRevisions = async (
  caller: Caller,
  reference: string,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
) => {
  const project = await getRevisedProject(caller, reference);
  const revisions: RevisionRecord[] = [];
  for await (const revision of revisionsOf(project.id, limit + 1)) {
    if (after === undefined || revision.id < after) revisions.push(revision);
    if (revisions.length > limit) break;
  }
  const { data, meta } = ledgerPage(revisions, limit);
  const views: Revision[] = await revisionViews(data, readsAsStaff(caller, project) ? 'staff' : 'owner');
  return { data: views, meta };
};
