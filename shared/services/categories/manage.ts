import type { DryRun } from '#contract/batches.ts';
import { CATEGORIES_MAX, type CategoryBody, type CategoryUpdate } from '#contract/categories.ts';
import {
  allCategories,
  deleteCategory,
  findCategory,
  insertCategory,
  mergeCategory,
  replaceCategories,
} from '#data/categories.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { newMessage } from '#events/catalogue.ts';
import type { CategoryRecord } from '#model/category.ts';
import { mustMatch } from '#model/entity-tag.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { createOnce } from '#services/create-once.ts';
import { newBatch } from '#services/projects/batches.ts';
import { isReservedSlug } from '#services/projects/slug.ts';
import { slugFrom } from '#services/projects/slug-from-name.ts';
import { conflict, invalidField } from '#shared/errors.ts';
import { inRequest, previewSlugChange, propagateSlugChange, releaseSlug } from './propagate-slug.ts';
import { getCategory, resolveCategory } from './read.ts';

/** The distance between the `sort_order` of consecutive categories. */
export const SORT_STEP = 10;

const mustNotBeReserved = (slug: string): void => {
  if (isReservedSlug(slug)) throw conflict('CATEGORY_EXISTS', `"${slug}" is a reserved slug.`);
};

const nextSortOrder = (present: readonly CategoryRecord[]): number =>
  Math.max(0, ...present.map((category) => category.sort_order)) + SORT_STEP;

/** @throws 409 when its slug is taken or reserved, or there are too many. */
const storeCategory = async (id: string, body: CategoryBody): Promise<CategoryRecord> => {
  const slug = body.slug ?? slugFrom(body.name, id.slice('cat_'.length).toLowerCase());
  mustNotBeReserved(slug);
  // Concurrent requests may exceed it by a few, which the response has room for.
  const present = await allCategories();
  if (present.length >= CATEGORIES_MAX) {
    throw conflict('LIMIT_REACHED', `There are at most ${CATEGORIES_MAX} categories.`);
  }
  const at = now();
  const category: CategoryRecord = {
    id,
    slug,
    name: body.name,
    sphere: body.sphere ?? null,
    description: body.description ?? null,
    icon: body.icon ?? null,
    color: body.color ?? null,
    sort_order: body.sort_order ?? nextSortOrder(present),
    created_at: at,
    updated_at: at,
    version: 1,
  };
  await releaseSlug(slug);
  await insertCategory(category);
  return category;
};

/**
 * Creates a category, after all others unless `sort_order` is given.
 * @param seed as in `createOnce`.
 * @throws 409 when its slug is taken or reserved, or there are too many.
 */
export const createCategory = (body: CategoryBody, seed?: string): Promise<CategoryRecord> =>
  createOnce('cat', seed, { find: findCategory, create: (id) => storeCategory(id, body) });

const updated = (current: CategoryRecord, body: CategoryUpdate, at: string): CategoryRecord => ({
  ...current,
  slug: body.slug ?? current.slug,
  name: body.name ?? current.name,
  sphere: body.sphere === undefined ? current.sphere : body.sphere,
  description: body.description === undefined ? current.description : body.description,
  icon: body.icon === undefined ? current.icon : body.icon,
  color: body.color === undefined ? current.color : body.color,
  sort_order: body.sort_order ?? current.sort_order,
  updated_at: at,
  version: current.version + 1,
});

/** Changes a category; a new slug also replaces the old one on its projects. @throws 404, 409, 412. */
export const changeCategory = (
  admin: UserRecord,
  reference: string,
  body: CategoryUpdate,
  ifMatch: readonly string[] | undefined,
): Promise<CategoryRecord> =>
  retryOnConflict(async () => {
    const previous = await getCategory(reference);
    mustMatch(ifMatch, previous.version);
    const next = updated(previous, body, now());
    if (next.slug === previous.slug) {
      await replaceCategories([{ previous, next }], []);
      return next;
    }
    mustNotBeReserved(next.slug);
    await releaseSlug(next.slug);
    const renamed = { category_id: next.id, from: previous.slug, to: next.slug };
    await replaceCategories([{ previous, next }], [newMessage('categoryRenamed', admin.id, renamed)]);
    await propagateSlugChange({ from: previous.slug, categoryId: next.id }, inRequest);
    return next;
  });

/** Orders categories, all or none. @throws 400 naming the position of an unknown or repeated id. */
export const reorderCategories = (
  order: readonly { id: string; sort_order: number; sphere?: string | null | undefined }[],
): Promise<void> =>
  retryOnConflict(async () => {
    const known = new Map((await allCategories()).map((category) => [category.id, category]));
    const seen = new Set<string>();
    const at = now();
    const steps = order.map(({ id, sort_order, sphere }, position) => {
      const previous = known.get(id);
      if (!previous) throw invalidField([position, 'id'], `"${id}" is not a category`);
      if (seen.has(id)) throw invalidField([position, 'id'], `"${id}" is repeated`);
      seen.add(id);
      return { previous, next: updated(previous, { sort_order, sphere }, at) };
    });
    await replaceCategories(steps, []);
  });

/**
 * Deletes a category. Its projects stay and lose the slug: within the request as far as time allows, the rest by a
 * task, which ends the batch.
 * @returns its id and how many projects had it. @throws 404.
 */
export const removeCategory = async (
  admin: UserRecord,
  reference: string,
): Promise<{ id: string; projects_updated: number; batch_id: string }> => {
  const { id, slug, batchId } = await retryOnConflict(async () => {
    const category = await getCategory(reference);
    const batch = newBatch(admin, 'category_removal', `Delete the category "${category.name}"`, { category });
    const removed = { category_id: category.id, slug: category.slug, batch_id: batch.id };
    await deleteCategory(category, [newMessage('categoryRemoved', admin.id, removed)], batch);
    return { ...category, batchId: batch.id };
  });
  const { carrying } = await propagateSlugChange({ from: slug, categoryId: id, batchId }, inRequest);
  return { id, projects_updated: carrying, batch_id: batchId };
};

/** What `removeCategory` would do. @throws 404. */
export const previewRemoval = async (reference: string): Promise<DryRun> =>
  await previewSlugChange((await getCategory(reference)).slug, null);

/** The category to merge another one into. @param into an id or slug. @throws 400 when it is unknown or the other one itself. */
const getTarget = async (into: string, category: CategoryRecord): Promise<CategoryRecord> => {
  const target = await resolveCategory(into);
  if (!target) throw invalidField(['into'], `"${into}" is not a category`);
  if (target.id === category.id) throw invalidField(['into'], 'must be another category');
  return target;
};

/**
 * Merges a category into another: its projects carry the other one and its slug stands for it. Projects are changed like
 * those of a removed category.
 * @param into an id or slug. @throws 404, 400.
 */
export const mergeCategories = async (
  admin: UserRecord,
  reference: string,
  into: string,
): Promise<{ id: string; into: string; projects_updated: number; batch_id: string }> => {
  const { id, slug, target, batchId } = await retryOnConflict(async () => {
    const category = await getCategory(reference);
    const other = await getTarget(into, category);
    const summary = `Merge the category "${category.name}" into "${other.name}"`;
    const batch = newBatch(admin, 'category_merge', summary, { category });
    const merged = { category_id: category.id, slug: category.slug, batch_id: batch.id };
    await mergeCategory(category, other, [newMessage('categoryMerged', admin.id, merged)], batch);
    return { ...category, target: other, batchId: batch.id };
  });
  const { carrying } = await propagateSlugChange({ from: slug, categoryId: id, batchId }, inRequest);
  return { id, into: target.id, projects_updated: carrying, batch_id: batchId };
};

/** What `mergeCategories` would do. @throws 404, 400. */
export const previewMerge = async (reference: string, into: string): Promise<DryRun> => {
  const category = await getCategory(reference);
  return await previewSlugChange(category.slug, (await getTarget(into, category)).slug);
};
