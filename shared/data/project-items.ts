import type { ProjectCounts, ProjectRecord } from '#domain/projects/project.ts';
import { countsKey, type Key, ofUser, projectKey } from './keys.ts';
import type { Item } from './read.ts';

/** How projects and their counters become items and items become them again. */

/** The item of a project's record. */
export const projectItem = (project: ProjectRecord): Item & Key => ({
  ...projectKey(project.id),
  ...ofUser(project.owner_id, 'PROJECT', `${project.created_at}#${project.id}`),
  type: 'project',
  ...project,
});

const text = (item: Item, name: string): string => {
  const value = item[name];
  if (typeof value !== 'string') throw new Error(`The item ${String(item.pk)} has no ${name}.`);
  return value;
};

const list = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as string[]) : []);
const orNull = <T>(value: unknown): T | null => (value === undefined ? null : (value as T));

/** The record in an item. @throws when the item lacks what no project can be without. */
export const projectOf = (item: Item): ProjectRecord => ({
  id: text(item, 'id'),
  slug: text(item, 'slug'),
  earlier_slugs: list(item.earlier_slugs),
  plan: item.plan === 'premium' ? 'premium' : 'standard',
  name: text(item, 'name'),
  url: text(item, 'url'),
  description: text(item, 'description'),
  long_description: orNull(item.long_description),
  categories: list(item.categories),
  tags: list(item.tags),
  logo_url: orNull(item.logo_url),
  screenshots: list(item.screenshots),
  video_url: orNull(item.video_url),
  pricing_type: text(item, 'pricing_type') as ProjectRecord['pricing_type'],
  status: text(item, 'status') as ProjectRecord['status'],
  owner_id: text(item, 'owner_id'),
  latitude: orNull(item.latitude),
  longitude: orNull(item.longitude),
  address_city: orNull(item.address_city),
  address_country: orNull(item.address_country),
  created_at: text(item, 'created_at'),
  updated_at: text(item, 'updated_at'),
  published_at: orNull(item.published_at),
  deleted_at: orNull(item.deleted_at),
  rejection_reason: orNull(item.rejection_reason),
  paid_at: orNull(item.paid_at),
  version: Number(item.version),
});

/** The item of a project's counters. */
export const countsItem = (projectId: string, counts: ProjectCounts): Item & Key => ({
  ...countsKey(projectId),
  type: 'counts',
  project_id: projectId,
  ...counts,
});

/** The counters in an item; of a missing item none. */
export const countsOf = (item: Item | undefined): ProjectCounts => ({
  upvote_count: Number(item?.upvote_count ?? 0),
  ratings_sum: Number(item?.ratings_sum ?? 0),
  ratings_count: Number(item?.ratings_count ?? 0),
  comments_count: Number(item?.comments_count ?? 0),
  views_count: Number(item?.views_count ?? 0),
  version: Number(item?.version ?? 0),
});
