import { type DryRun, LISTED_MAX } from '#contract/batches.ts';
import { countEntries, endBatch, entryWrite, findBatch, noteProgress } from '#data/batches.ts';
import { catalog } from '#data/catalog.ts';
import {
  endRetirement,
  findCurrentCategory,
  findRetiredSlug,
  missingCategories,
  notReclaimed,
  retiredSlugs,
  SlugReclaimed,
} from '#data/categories.ts';
import { existingProjects } from '#data/projects.ts';
import { type BatchEntry, noOutcomes, writtenEntry } from '#model/batch.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { ChangeOrigin } from '#model/revision.ts';
import { log } from '#platform/log.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { dryRunOf } from '#services/projects/batches.ts';
import { changeProject } from '#services/projects/change.ts';
import { AppError, conflict } from '#shared/errors.ts';

/**
 * A slug that a category no longer uses. What replaces it is the current slug of the category or of the one that it was
 * merged into, which may change meanwhile; without such a category, nothing.
 */
export interface SlugChange {
  readonly from: string;
  readonly categoryId: string;
  /** The batch of a removal or merge, to which each changed project is added. */
  readonly batchId?: string;
}

interface Propagation {
  /** The time after which no further project is changed, in milliseconds. */
  readonly budgetMs: number;
  /** Whether errors are logged, because a task completes the change, instead of thrown. */
  readonly hasTask: boolean;
}

/** For requests: three propagations fit into the 29 seconds of the gateway. */
export const inRequest: Propagation = { budgetMs: 8000, hasTask: true };
const inTask: Propagation = { budgetMs: 280_000, hasTask: false };

/** Each change checks the claim of the same slug, and DynamoDB limits concurrent transactions on one item. */
const CONCURRENT_CHANGES = 4;
/** After how many changed projects the progress of the batch is stored. */
const CHANGES_PER_NOTE = 100;

const origin: ChangeOrigin = { cause: 'category', actorId: null };

/** The project without a category slug, or with another in its place. */
const withReplacedSlug = (project: ProjectRecord, from: string, to: string | null): ProjectRecord => {
  const categories = project.categories.flatMap((slug) => (slug === from ? (to ?? []) : slug));
  return { ...project, categories: [...new Set(categories)] };
};

const categoryEntry = (previous: ProjectRecord, next: ProjectRecord): BatchEntry =>
  writtenEntry({ position: previous.id, row: null, outcome: 'updated' }, previous, next);

export const previewSlugChange = async (from: string, to: string | null): Promise<DryRun> => {
  const ids = (await catalog('now')).idsInCategory(from);
  const first = await existingProjects(ids.slice(0, LISTED_MAX));
  const entries = first.map((project) => categoryEntry(project, withReplacedSlug(project, from, to)));
  return dryRunOf(entries, { ...noOutcomes, updated: ids.length });
};

/** @returns whether the project still carried the slug. */
const replaceSlugOfProject = async (projectId: string, { from, categoryId, batchId }: SlugChange): Promise<boolean> => {
  let isCarrier = false;
  try {
    await changeProject(
      projectId,
      async (current) => {
        isCarrier = current.categories.includes(from);
        if (!isCarrier) return { next: current, origin, messages: [] };
        const to = (await findCurrentCategory(categoryId))?.slug ?? null;
        return { next: withReplacedSlug(current, from, to), origin, messages: [] };
      },
      (previous, next) => [
        notReclaimed(from, categoryId),
        ...(batchId === undefined ? [] : [entryWrite(batchId, categoryEntry(previous, next))]),
      ],
    );
  } catch (error) {
    // The project has been purged since the catalog was read.
    if (error instanceof AppError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
  return isCarrier;
};

/**
 * Replaces or removes a category slug on every project that carries it. Safe to repeat and to run concurrently: a
 * project changes only while it carries the old slug and no other category has claimed that slug.
 * @returns how many projects carried the slug by the catalog, how many of them this call changed, and whether it has
 *   processed all of them.
 */
export const propagateSlugChange = async (
  change: SlugChange,
  { budgetMs, hasTask }: Propagation,
): Promise<{ carrying: number; changed: number; isComplete: boolean }> => {
  const until = performance.now() + budgetMs;
  const ids = (await catalog('now')).idsInCategory(change.from);
  const { batchId } = change;
  const earlier = batchId === undefined ? undefined : (await findBatch(batchId))?.counts;
  let changed = 0;
  let processed = 0;
  const note = async (): Promise<void> => {
    if (batchId === undefined || changed === 0) return;
    await noteProgress(batchId, { ...noOutcomes, updated: (earlier?.updated ?? 0) + changed });
  };
  try {
    const replace = async (id: string): Promise<void> => {
      const isCarrier = await replaceSlugOfProject(id, change);
      processed += 1;
      if (!isCarrier) return;
      changed += 1;
      if (changed % CHANGES_PER_NOTE === 0) await note();
    };
    await mapConcurrently(ids, replace, { concurrency: CONCURRENT_CHANGES, until });
    await note();
  } catch (error) {
    if (error instanceof SlugReclaimed) return { carrying: 0, changed: 0, isComplete: true };
    // The category itself has changed, so the request must not fail.
    if (!hasTask) throw error;
    log.warn('propagating a category slug failed; the task will retry', { category_slug: change.from, error });
  }
  return { carrying: ids.length, changed, isComplete: processed === ids.length };
};

/**
 * Completes the removal, merge or rename of a category on its projects, and frees its old slug unless it was merged. Safe to
 * repeat; does nothing when another category has claimed the slug.
 * @throws 409 while projects still carry the slug; the caller tries again later.
 */
const completeSlugChange = async (slug: string, propagation: Propagation): Promise<void> => {
  const retired = await findRetiredSlug(slug);
  if (!retired) return;
  const { categoryId, batchId } = retired;
  const change = { from: slug, categoryId, ...(batchId !== undefined && { batchId }) };
  await propagateSlugChange(change, propagation);
  // The catalog may still list projects that were just changed, so the number of changes decides.
  const { changed, isComplete } = await propagateSlugChange(change, propagation);
  if (changed > 0 || !isComplete)
    throw conflict('CATEGORY_EXISTS', `The slug "${slug}" is still being removed from projects.`);
  await endRetirement(slug, retired);
};

/** Frees a retired slug for another category. @throws 409 while projects still carry it, or when it stands for a category. */
export const releaseSlug = async (slug: string): Promise<void> => {
  if ((await findRetiredSlug(slug))?.isAlias) {
    throw conflict('CATEGORY_EXISTS', `The slug "${slug}" belongs to a category that was merged into another.`);
  }
  await completeSlugChange(slug, inRequest);
};

/** Completes a removal, merge or rename as a task, and ends its batch. */
export const finishSlugChange = async (slug: string, batchId?: string): Promise<void> => {
  await completeSlugChange(slug, inTask);
  if (batchId !== undefined) await endBatch(batchId, 'done', await countEntries(batchId));
};

/** Matches the claim of no category. */
const NO_CATEGORY = 'cat_none';

const repairSlug = async (slug: string): Promise<void> => {
  if (await findRetiredSlug(slug)) await completeSlugChange(slug, inTask);
  // Stops at the first project when a new category claims the slug concurrently.
  else await propagateSlugChange({ from: slug, categoryId: NO_CATEGORY }, inTask);
};

/**
 * Completes interrupted removals, merges and renames of categories, and removes slugs without a category from projects. Safe to
 * repeat and to run beside the changes themselves.
 * @param until when to stop, on the monotonic clock in milliseconds.
 */
export const repairCategorySlugs = async (
  until: number,
): Promise<{ slugs_propagated: number; failed: number; unfinished: boolean }> => {
  const carried = new Set<string>();
  for (const { project } of (await catalog('now')).all()) for (const slug of project.categories) carried.add(slug);
  const due = new Set([...(await retiredSlugs()), ...(await missingCategories([...carried]))]);
  let [slugs_propagated, failed] = [0, 0];
  for (const slug of due) {
    if (performance.now() > until) return { slugs_propagated, failed, unfinished: true };
    try {
      await repairSlug(slug);
      slugs_propagated += 1;
    } catch (error) {
      failed += 1;
      log.warn('repairing a category slug failed', { slug, error });
    }
  }
  return { slugs_propagated, failed, unfinished: false };
};
