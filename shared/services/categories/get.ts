import { findCategory, findCategoryByAlias } from '#data/categories.ts';
import type { CategoryRecord } from '#model/category.ts';
import { notFound } from '#shared/errors.ts';

/** A category by id or slug. @throws 404. */
export const getCategory = async (reference: string): Promise<CategoryRecord> => {
  const category = await findCategory(reference);
  if (!category) throw notFound();
  return category;
};

/** A category by id, slug or the slug of a category that was merged into it. */
export const resolveCategory = async (reference: string): Promise<CategoryRecord | undefined> =>
  (await findCategory(reference)) ?? (await findCategoryByAlias(reference));
