import type * as z from 'zod';
import { ITEM_VALUE_MAX } from '#contract/projects.ts';
import type { browse, QueuedRevision, Revision, RevisionCause, RevisionState } from '#contract/revisions.ts';
import { currentFields } from '#data/custom-fields.ts';
import { filteredPage, pageMeta, skipOf } from '#data/paging.ts';
import { existingProjects, findProject, findProjectId } from '#data/projects.ts';
import { findRevision, pageOfRevisions, revisionsOf } from '#data/revisions.ts';
import { findUsers } from '#data/users.ts';
import type { Caller } from '#model/api-key.ts';
import { type Fields, type Reader, shownChanges, shownNames } from '#model/field.ts';
import { hasAdminRights, isModerator, isOwn, mustBeChangeable } from '#model/policy.ts';
import type { ProjectRecord } from '#model/project.ts';
import { fitsInResponse, shortenedToFit } from '#model/response-size.ts';
import { conflictingFields, REVISIONS_MAX, type RevisionRecord } from '#model/revision.ts';
import { shortChange } from '#model/short-change.ts';
import type { UserRecord } from '#model/user.ts';
import { environment } from '#platform/environment.ts';
import { invalidField, mustExist } from '#shared/errors.ts';
import { currentChanges } from './content.ts';
import { staffReader } from './read.ts';

type Audience = 'owner' | 'staff';

/** The causes of changes by owners; the actors of all others are administrators. */
const OWN_CAUSES: ReadonlySet<RevisionCause> = new Set(['submitted', 'edited', 'payment']);

const actorView = (user: UserRecord | undefined): Revision['actor'] =>
  user?.erased_at === null ? { id: user.id, name: user.name } : null;

/** The response for a revision. Owners do not learn which administrator made a change, nor their remarks. */
const revisionView = (
  { project_id, actor_id, note, ...revision }: RevisionRecord,
  users: ReadonlyMap<string, UserRecord>,
  audience: Audience,
  definitions: Fields,
  reader: Reader,
): Revision => ({
  id: revision.id,
  project_id,
  at: revision.at,
  actor:
    actor_id !== null && (audience === 'staff' || OWN_CAUSES.has(revision.cause))
      ? actorView(users.get(actor_id))
      : null,
  cause: revision.cause,
  state: revision.state,
  base_version: revision.base_version,
  etag: revision.etag,
  changes: shownChanges(definitions, revision.changes, reader),
  applied: shownNames(definitions, revision.applied, reader),
  ...(audience === 'staff' && { note }),
});

const revisionViews = async (
  revisions: readonly RevisionRecord[],
  audience: Audience,
  caller: Caller,
): Promise<Revision[]> => {
  const actorIds = revisions.flatMap(({ actor_id }) => actor_id ?? []);
  const users = await findUsers([...new Set(actorIds)]);
  const definitions = await currentFields();
  const reader = audience === 'owner' ? 'owner' : staffReader(caller);
  return revisions.map((revision) => revisionView(revision, users, audience, definitions, reader));
};

/** The most characters of a value in a large revision: the first with which it is short enough, or the last. Ids have 30. */
const VALUE_MAX = [ITEM_VALUE_MAX, 200, 40];

const shortRevision = (revision: QueuedRevision, bytesMax: number): QueuedRevision => {
  let short = revision;
  for (const max of VALUE_MAX) {
    short = { ...revision, changes: revision.changes.map((change) => shortChange(change, max)) };
    if (fitsInResponse(JSON.stringify(short), bytesMax)) break;
  }
  return short;
};

/**
 * Whether the caller reads revisions as staff: an administrator, an API key with a scope of the route, or a moderator who
 * does not own the project.
 */
const readsAsStaff = (caller: Caller, project: ProjectRecord): boolean =>
  hasAdminRights(caller) ||
  caller.scopes !== undefined ||
  (environment().features.moderators && isModerator(caller) && project.owner_id !== caller.id);

/** A project whose revisions the caller may read. @throws 404, 403. */
export const getProjectOfRevision = async (caller: Caller, reference: string): Promise<ProjectRecord> => {
  const stored = mustExist(await findProject(reference));
  if (!readsAsStaff(caller, stored.project)) mustBeChangeable(stored.project, caller);
  return stored.project;
};

/** @throws 404, 403. */
export const getRevision = async (caller: Caller, reference: string, revisionId: string): Promise<RevisionRecord> => {
  const { id } = await getProjectOfRevision(caller, reference);
  const revision = mustExist(await findRevision(id, revisionId));
  return revision;
};

/** A page of the revisions of a project, newest first. @throws 404, 403. */
export const listRevisions = async (
  caller: Caller,
  reference: string,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
) => {
  const project = await getProjectOfRevision(caller, reference);
  const { data, meta } = await filteredPage(
    revisionsOf(project.id, limit + 1),
    limit,
    ({ id }) => after === undefined || id < after,
  );
  const views: Revision[] = await revisionViews(data, readsAsStaff(caller, project) ? 'staff' : 'owner', caller);
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

type RevisionQuery = z.output<typeof browse.query>;

const foundRevisions = async ({ state, project, ...paging }: RevisionQuery) => {
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
export const browseRevisions = async (staff: Caller, query: RevisionQuery) => {
  const { revisions, total } = await foundRevisions(query);
  const projects = new Map(
    (await existingProjects([...new Set(revisions.map(({ project_id }) => project_id))])).map((one) => [one.id, one]),
  );
  // Moderators read about their own listings what owners read.
  const isForOwner = ({ project_id }: RevisionRecord): boolean => {
    const project = projects.get(project_id);
    return project !== undefined && isOwn(project, staff);
  };
  const [own, others] = [revisions.filter(isForOwner), revisions.filter((one) => !isForOwner(one))];
  const read = [...(await revisionViews(own, 'owner', staff)), ...(await revisionViews(others, 'staff', staff))];
  const views = revisions.flatMap(({ id }) => read.find((view) => view.id === id) ?? []);
  const data = await Promise.all(
    views.map(async (view): Promise<QueuedRevision[]> => {
      const project = projects.get(view.project_id);
      // The project has been purged since.
      if (!project) return [];
      const { id, slug, name } = project;
      const changes = revisions.find((one) => one.id === view.id)?.changes ?? [];
      const outdated = view.state === 'pending' ? conflictingFields(project, await currentChanges(changes)) : [];
      const reader = isOwn(project, staff) ? 'owner' : staffReader(staff);
      return [{ ...view, project: { id, slug, name }, outdated: shownNames(await currentFields(), outdated, reader) }];
    }),
  );
  return { data: shortenedToFit(data.flat(), shortRevision), meta: pageMeta(query, total, revisions.length) };
};
