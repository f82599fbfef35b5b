import type { Project } from '#contract/projects.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { canChange } from './policy.ts';
import { averageRating, type ProjectCounts, type ProjectRecord } from './project.ts';

/** A project with all that its public form is made of. */
export interface ProjectParts {
  readonly project: ProjectRecord;
  readonly counts: ProjectCounts;
  readonly spheres: readonly string[];
}

/** What is added for some callers. */
export interface ProjectExtras {
  readonly duplicates?: readonly string[];
  readonly queuePosition?: number | undefined;
}

/** The project as this caller sees it. */
export const projectView = (
  { project, counts, spheres }: ProjectParts,
  caller: UserRecord | undefined,
  extras: ProjectExtras = {},
): Project => ({
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
  ...(canChange(project, caller) && {
    rejection_reason: project.rejection_reason,
    paid_at: project.paid_at,
  }),
  ...(caller?.is_admin && extras.duplicates && { possible_duplicates: [...extras.duplicates] }),
  ...(extras.queuePosition !== undefined && { queue_position: extras.queuePosition }),
});

/** The strong tag of a project: it stands for the record, so reactions do not make it stale. */
export const projectTag = (project: Pick<ProjectRecord, 'id' | 'version'>): string =>
  `${project.id}.${project.version}`;
