import { categoryItem } from '#data/category-items.ts';
import { categorySlugKey, inFeed, type Key, slugKey } from '#data/keys.ts';
import { countsItem, projectItem } from '#data/project-items.ts';
import type { Item } from '#data/read.ts';
import type { CategoryRecord } from '#domain/categories/category.ts';
import { noCounts, type ProjectCounts, type ProjectRecord } from '#domain/projects/project.ts';
import type { Directory } from './listings.ts';

/** A listing of a made-up directory with all that is kept of it. */
export interface MadeListing {
  readonly project: ProjectRecord;
  readonly counts: ProjectCounts;
  readonly spheres: readonly string[];
}

const placed = (item: Item & Key, changedAt: string): Item => ({ ...item, ...inFeed(changedAt, item) });

/** The items of a category, as the service writes them. */
export const itemsOfCategory = (category: CategoryRecord): Item[] => [
  placed(categoryItem(category), category.updated_at),
  { ...categorySlugKey(category.slug), type: 'categorySlug', category_id: category.id, state: 'held' },
];

/** The items of a listing, as the service writes them; counters only where there are any. */
export const itemsOfListing = ({ project, counts }: MadeListing): Item[] => [
  placed(projectItem(project), project.updated_at),
  { ...slugKey(project.slug), type: 'slug', project_id: project.id },
  ...(counts === noCounts ? [] : [placed(countsItem(project.id, counts), project.updated_at)]),
];

/** The listings of a directory of a size, in the order in which the directory makes them. */
export function* listingsOf(directory: Directory, size: number): IterableIterator<MadeListing> {
  const spheres = new Map(directory.categories().map(({ slug, sphere }) => [slug, sphere]));
  let project: ProjectRecord | undefined;
  let counts: ProjectCounts = noCounts;
  const made = (of: ProjectRecord): MadeListing => ({
    project: of,
    counts,
    spheres: [...new Set(of.categories.flatMap((slug) => spheres.get(slug) ?? []))],
  });
  for (const change of directory.changes(size)) {
    if (change.kind === 'counts') counts = change.counts;
    if (change.kind !== 'project') continue;
    if (project) yield made(project);
    project = change.project;
    counts = noCounts;
  }
  if (project) yield made(project);
}
