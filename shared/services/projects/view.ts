import type { MapItem, Project } from '#contract/projects.ts';
import { spheresOf } from '#data/categories.ts';
import { findProject, otherProjectsWithUrl, type StoredProject } from '#data/projects.ts';
import { canChange, hasAdminRights } from '#model/policy.ts';
import { appliedRule, averageRating, type ProjectCounts, type ProjectRecord } from '#model/project.ts';
import type { UserRecord } from '#model/user.ts';

/** The data of a project's response. */
export interface ProjectParts {
  readonly project: ProjectRecord;
  readonly counts: ProjectCounts;
  readonly spheres: readonly string[];
}

/** The response for everyone. */
export const publicView = ({ project, counts, spheres }: ProjectParts): Project => ({
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
  comments_count: counts.comments_count,
  views_count: counts.views_count,
  latitude: project.latitude,
  longitude: project.longitude,
  address_city: project.address_city,
  address_country: project.address_country,
  created_at: project.created_at,
  updated_at: project.updated_at,
  published_at: project.published_at,
  deleted_at: project.deleted_at,
});

const pendingView = ({ pending_revision: pending }: ProjectRecord): Project['pending_revision'] =>
  pending && { id: pending.id, at: pending.at, changes: pending.changes };

/** The response for the owner and administrators. */
export const editorView = (parts: ProjectParts): Project => ({
  ...publicView(parts),
  rejection_reason: parts.project.rejection_reason,
  paid_at: parts.project.paid_at,
  pending_revision: pendingView(parts.project),
});

/** The response for a caller. */
export const projectView = (parts: ProjectParts, caller: UserRecord | undefined): Project =>
  canChange(parts.project, caller) ? editorView(parts) : publicView(parts);

/** The item of the map feed, for a project with coordinates. */
export const mapItemView = ({ project, counts }: ProjectParts): MapItem => ({
  id: project.id,
  name: project.name,
  slug: project.slug,
  logo_url: project.logo_url,
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

export const findProjectParts = async (projectId: string): Promise<ProjectParts | undefined> => {
  const stored = await findProject(projectId);
  return stored && { ...stored, spheres: await spheresOf(stored.project.categories) };
};

/** The response of administrators' routes, from a stored project. */
export const staffProjectView = async ({ project, counts }: StoredProject): Promise<Project> => ({
  ...editorView({ project, counts, spheres: await spheresOf(project.categories) }),
  possible_duplicates: [...(await otherProjectsWithUrl(project.url, project.id))],
  rule: appliedRule(project),
});

/** The response for a caller, from a stored project. */
export const storedProjectView = async (stored: StoredProject, caller: UserRecord | undefined): Promise<Project> =>
  hasAdminRights(caller)
    ? await staffProjectView(stored)
    : projectView({ ...stored, spheres: await spheresOf(stored.project.categories) }, caller);
