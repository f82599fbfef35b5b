import type { Category } from '#contract/categories.ts';
import { catalog } from '#data/catalog.ts';
import { findCategory, findCategoryByAlias } from '#data/categories.ts';
import type { CategoryRecord } from '#model/category.ts';
import { mustExist } from '#shared/errors.ts';

/** A category by id or slug. @throws 404. */
export const getCategory = async (reference: string): Promise<CategoryRecord> =>
  mustExist(await findCategory(reference));

/** A category by id, slug or the slug of a category that was merged into it. */
export const resolveCategory = async (reference: string): Promise<CategoryRecord | undefined> =>
  (await findCategory(reference)) ?? (await findCategoryByAlias(reference));

export const categoryView = ({ version: _version, ...category }: CategoryRecord, projectCount: number): Category => ({
  ...category,
  project_count: projectCount,
});

/** A stored category with its project count. @param freshness `now` includes all earlier writes. */
export const countedCategory = async (category: CategoryRecord, freshness?: 'now'): Promise<Category> => {
  const all = (await catalog(freshness)).categories();
  return categoryView(category, all.find((one) => one.category.id === category.id)?.projectCount ?? 0);
};

/** A category by id, slug or the slug of a category that was merged into it, and the version in its entity tag. @throws 404. */
export const readCategory = async (reference: string) => {
  const category = mustExist(await resolveCategory(reference));
  return { data: await countedCategory(category), version: category.version };
};

/** All categories in their order, with the spheres in use. @param freshness `now` includes all earlier writes. */
export const listCategories = async (freshness?: 'now') => {
  const current = await catalog(freshness);
  const body = () => {
    const all = current.categories();
    return {
      data: all.map(({ category, projectCount }) => categoryView(category, projectCount)),
      meta: { spheres: [...new Set(all.flatMap(({ category }) => category.sphere ?? []))] },
    };
  };
  return { catalog: current, body };
};
