import { DUPLICATES_MAX, MAP_LOGO_MAX, type MapItem, type Project } from '#contract/projects.ts';
import { isBookmarked } from '#data/bookmarks.ts';
import { spheresOf } from '#data/categories.ts';
import { currentFields } from '#data/custom-fields.ts';
import { findProject, otherProjectsWithUrl, type StoredProject } from '#data/projects.ts';
import { viewerStateOf } from '#data/reactions.ts';
import type { Caller } from '#model/api-key.ts';
import { type Fields, fieldsOff, missingKeys, type Reader, shownChanges, shownValues } from '#model/field.ts';
import { canChange, canSee, hasAdminRights, isModerator, isOpen, mustNotBeOwn } from '#model/policy.ts';
import { appliedRule, averageRating, liveVersion, type ProjectCounts, type ProjectRecord } from '#model/project.ts';
import { weightedRating } from '#model/scores.ts';
import type { UserRecord } from '#model/user.ts';
import { environment } from '#platform/environment.ts';
import { mustExist, notFound } from '#shared/errors.ts';

/** A project by id, slug or earlier slug. @throws 404, also when it is invisible to the caller. */
export const getProject = async (caller: UserRecord | undefined, reference: string): Promise<StoredProject> => {
  const stored = await findProject(reference);
  if (!stored || !canSee(stored.project, caller)) throw notFound();
  return stored;
};

/** A project that everyone can see and react to. @throws 404 unless it is live and not deleted. */
export const getOpenProject = async (reference: string): Promise<StoredProject> => {
  const stored = await findProject(reference);
  if (!stored || !isOpen(stored.project)) throw notFound();
  return stored;
};

/** Any project, for a route of administrators. @throws 404; 403 for an own listing of a moderator. */
export const getStaffProject = async (staff: Caller, reference: string): Promise<StoredProject> => {
  const stored = mustExist(await findProject(reference));
  mustNotBeOwn(stored.project, staff);
  return stored;
};

/** The data of a project's response. */
export interface ProjectParts {
  readonly project: ProjectRecord;
  readonly counts: ProjectCounts;
  readonly spheres: readonly string[];
  /** The present definitions of fields. */
  readonly fields: Fields;
}

/** The values of fields that a reader may see. */
const fieldsView = ({ project, fields }: Pick<ProjectParts, 'project' | 'fields'>, reader: Reader) =>
  fields === fieldsOff
    ? {}
    : {
        fields: shownValues(fields, project, reader),
        ...(reader !== 'public' && { fields_missing: missingKeys(fields, project, reader) }),
      };

export const publicView = ({ project, counts, spheres, fields }: ProjectParts): Project => ({
  id: project.id,
  slug: project.slug,
  plan: project.plan,
  name: project.name,
  url: project.url,
  description: project.description,
  long_description: project.long_description,
  categories: [...project.categories],
  spheres: [...spheres],
  tags: [...project.tags],
  logo_url: project.logo_url,
  screenshots: [...project.screenshots],
  video_url: project.video_url,
  pricing_type: project.pricing_type,
  status: project.status,
  owner_id: project.owner_id,
  upvote_count: counts.upvote_count,
  average_rating: averageRating(counts),
  ratings_count: counts.ratings_count,
  weighted_rating: weightedRating(counts),
  comments_count: counts.comments_count,
  views_count: counts.views_count,
  latitude: project.latitude,
  longitude: project.longitude,
  address_city: project.address_city,
  address_country: project.address_country,
  ...fieldsView({ project, fields }, 'public'),
  created_at: project.created_at,
  updated_at: project.updated_at,
  published_at: project.published_at,
  deleted_at: project.deleted_at,
  ...(environment().features.claims && { claimed_at: project.claimed_at }),
});

const pendingView = (
  { project: { pending_revision: pending }, fields }: ProjectParts,
  reader: Reader,
): Project['pending_revision'] =>
  pending && { id: pending.id, at: pending.at, changes: shownChanges(fields, pending.changes, reader) };

const editorView = (parts: ProjectParts, reader: Reader): Project => ({
  ...publicView(parts),
  ...fieldsView(parts, reader),
  rejection_reason: parts.project.rejection_reason,
  paid_at: parts.project.paid_at,
  ...(environment().features.drafts && {
    publish_at: parts.project.publish_at,
    approved_at: parts.project.approved_at,
  }),
  pending_revision: pendingView(parts, reader),
});

export const ownerView = (parts: ProjectParts): Project => editorView(parts, 'owner');

/** With the values of all fields. */
export const staffView = (parts: ProjectParts): Project => editorView(parts, 'staff');

/** Who an administrator, a moderator or an API key is as a reader of values. */
export const staffReader = ({ scopes }: Pick<Caller, 'scopes'>): Reader =>
  scopes === undefined || scopes.includes('projects:read') ? 'staff' : 'public';

/** As whom a caller reads the values of a listing. Moderators read of their own listings what owners read. */
export const readerOf = (project: Pick<ProjectRecord, 'owner_id'>, caller: Caller | undefined): Reader => {
  if (!caller) return 'public';
  if (hasAdminRights(caller) || caller.scopes?.includes('projects:read')) return 'staff';
  if (project.owner_id === caller.id) return 'owner';
  return environment().features.moderators && isModerator(caller) ? 'staff' : 'public';
};

export const projectView = (parts: ProjectParts, caller: Caller | undefined): Project => {
  const reader = readerOf(parts.project, caller);
  return canChange(parts.project, caller)
    ? editorView(parts, reader)
    : { ...publicView(parts), ...fieldsView(parts, reader) };
};

export const mapItemView = ({ project, counts }: ProjectParts): MapItem => ({
  id: project.id,
  name: project.name,
  slug: project.slug,
  logo_url: project.logo_url !== null && project.logo_url.length > MAP_LOGO_MAX ? null : project.logo_url,
  categories: [...project.categories],
  pricing: project.pricing_type,
  plan: project.plan,
  average_rating: averageRating(counts),
  ratings_count: counts.ratings_count,
  latitude: project.latitude as number,
  longitude: project.longitude as number,
  address_city: project.address_city ?? '',
  address_country: project.address_country ?? '',
});

const partsOf = async (stored: StoredProject): Promise<ProjectParts> => ({
  ...stored,
  spheres: await spheresOf(stored.project.categories),
  fields: await currentFields(),
});

export const findProjectParts = async (projectId: string): Promise<ProjectParts | undefined> => {
  const stored = await findProject(projectId);
  return stored && (await partsOf(stored));
};

/** The response of administrators' routes, from a stored project. */
export const staffProjectView = async (stored: StoredProject, caller: Caller): Promise<Project> => ({
  ...editorView(await partsOf(stored), staffReader(caller)),
  possible_duplicates: [...(await otherProjectsWithUrl(stored.project.url, stored.project.id, DUPLICATES_MAX))],
  rule: appliedRule(stored.project),
});

export const storedProjectView = async (stored: StoredProject, caller: Caller | undefined): Promise<Project> =>
  caller && hasAdminRights(caller)
    ? await staffProjectView(stored, caller)
    : projectView(await partsOf(stored), caller);

/** The content of a response about one project, and the version in its entity tag. */
interface VersionedProject {
  readonly data: Project;
  readonly version: number;
}

export const staffProject = async (stored: StoredProject, caller: Caller): Promise<VersionedProject> => ({
  data: await staffProjectView(stored, caller),
  version: liveVersion(stored.project),
});

export const callersProject = async (stored: StoredProject, caller: Caller | undefined): Promise<VersionedProject> => ({
  data: await storedProjectView(stored, caller),
  version: liveVersion(stored.project),
});

/** A stored project for a caller, with the vote, the rating and the bookmark of a signed-in one. */
export const callersProjectWithReactions = async (stored: StoredProject, caller: Caller | undefined) => {
  const { data, version } = await callersProject(stored, caller);
  if (!caller) return { data, version };
  const [state, bookmarked] = await Promise.all([
    viewerStateOf(data.id, caller.id),
    environment().features.bookmarks && isBookmarked(caller.id, data.id),
  ]);
  const viewer = { ...state, ...(environment().features.bookmarks && { bookmarked }) };
  return { data: { ...data, viewer }, version };
};
