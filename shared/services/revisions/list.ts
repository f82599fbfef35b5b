import type { QueuedRevision, Revision, RevisionState } from '#contract/revisions.ts';
import { existingProjects, findProject, findProjectId } from '#data/projects.ts';
import { findRevision, pageOfRevisions, revisionsOf } from '#data/revisions.ts';
import type { Caller } from '#model/api-key.ts';
import { ledgerPage, type Paging, pageMeta, skipOf } from '#model/paging.ts';
import { hasAdminRights, isModerator, mustBeChangeable } from '#model/policy.ts';
import type { ProjectRecord } from '#model/project.ts';
import { outdatedFields, REVISIONS_MAX, type RevisionRecord } from '#model/revision.ts';
import { settings } from '#platform/settings.ts';
import { currentChanges } from '#services/projects/content.ts';
import { invalidField, notFound } from '#shared/errors.ts';
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

/** @throws 404, 403. */
export const getRevision = async (caller: Caller, reference: string, revisionId: string): Promise<RevisionRecord> => {
  const { id } = await getRevisedProject(caller, reference);
  const revision = await findRevision(id, revisionId);
  if (!revision) throw notFound();
  return revision;
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

/** The revisions of one project in a state, oldest first. */
const revisionsInState = async (projectId: string, state: RevisionState): Promise<RevisionRecord[]> => {
  const revisions: RevisionRecord[] = [];
  for await (const revision of revisionsOf(projectId, REVISIONS_MAX + 1)) {
    if (revision.state === state) revisions.push(revision);
  }
  return revisions.toReversed();
};

const foundRevisions = async ({
  state,
  project,
  ...paging
}: Paging & { readonly state: RevisionState; readonly project?: string | undefined }) => {
  if (project === undefined) {
    if (state === 'applied') throw invalidField(['state'], 'applied needs a project');
    return await pageOfRevisions(state, skipOf(paging), paging.limit);
  }
  const projectId = await findProjectId(project);
  const all = projectId === undefined ? [] : await revisionsInState(projectId, state);
  const skip = skipOf(paging);
  return { revisions: all.slice(skip, skip + paging.limit), total: all.length };
};

/** A page of revisions in a state with their projects, oldest first. @throws 400 for applied ones of all projects. */
export const browseRevisions = async (query: Parameters<typeof foundRevisions>[0]) => {
  const { revisions, total } = await foundRevisions(query);
  const projects = new Map(
    (await existingProjects([...new Set(revisions.map(({ project_id }) => project_id))])).map((one) => [one.id, one]),
  );
  const views = await revisionViews(revisions, 'staff');
  const data = await Promise.all(
    views.map(async (view): Promise<QueuedRevision[]> => {
      const project = projects.get(view.project_id);
      // The project has been purged since.
      if (!project) return [];
      const { id, slug, name } = project;
      const outdated = view.state === 'pending' ? outdatedFields(project, await currentChanges(view.changes)) : [];
      return [{ ...view, project: { id, slug, name }, outdated }];
    }),
  );
  return { data: data.flat(), meta: pageMeta(query, total, revisions.length) };
};
