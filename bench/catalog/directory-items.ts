import { categoryItem } from '#data/categories.ts';
import { countsItem } from '#data/counts.ts';
import { categorySlugKey, inFeed, type Key } from '#data/keys.ts';
import { projectItem, slugItem } from '#data/projects.ts';
import type { Item } from '#data/read.ts';
import type { CategoryRecord } from '#model/category.ts';
import { noCounts, type ProjectCounts, type ProjectRecord } from '#model/project.ts';
import type { Directory } from './listings.ts';

/** A listing of a generated directory. */
export interface GeneratedListing {
  readonly project: ProjectRecord;
  readonly counts: ProjectCounts;
  readonly spheres: readonly string[];
}

const withFeed = (item: Item & Key, changedAt: string): Item => ({ ...item, ...inFeed(changedAt, item) });

/** The items of a category, as the service writes them. */
export const itemsOfCategory = (category: CategoryRecord): Item[] => [
  withFeed(categoryItem(category), category.updated_at),
  { ...categorySlugKey(category.slug), type: 'categorySlug', category_id: category.id, state: 'held' },
];

/** The items of a listing, as the service writes them; without counters if all are 0. */
export const itemsOfListing = ({ project, counts }: GeneratedListing): Item[] => [
  withFeed(projectItem(project), project.updated_at),
  slugItem(project),
  ...(counts === noCounts ? [] : [withFeed(countsItem(project.id, counts), project.updated_at)]),
];

/** The listings of a generated directory, in the order of generation. */
export function* listingsOf(directory: Directory, size: number): IterableIterator<GeneratedListing> {
  const spheres = new Map(directory.categories().map(({ slug, sphere }) => [slug, sphere]));
  let project: ProjectRecord | undefined;
  let counts: ProjectCounts = noCounts;
  const generate = (of: ProjectRecord): GeneratedListing => ({
    project: of,
    counts,
    spheres: [...new Set(of.categories.flatMap((slug) => spheres.get(slug) ?? []))],
  });
  for (const change of directory.changes(size)) {
    if (change.kind === 'counts') counts = change.counts;
    if (change.kind !== 'project') continue;
    if (project) yield generate(project);
    project = change.project;
    counts = noCounts;
  }
  if (project) yield generate(project);
}
