import type { ReadCatalog } from '#catalog/types.ts';
import type { Category } from '#contract/categories.ts';
import type { CategoryRecord } from './category.ts';
import { categoryView } from './manage.ts';

/** All categories in their order, with the spheres in use. */
export const listCategories = (catalog: ReadCatalog): { data: Category[]; meta: { spheres: string[] } } => {
  const all = catalog.categories();
  return {
    data: all.map(({ category, projectCount }) => categoryView(category, projectCount)),
    meta: { spheres: [...new Set(all.flatMap(({ category }) => category.sphere ?? []))] },
  };
};

/** A stored category as callers see it, with the catalog's count of its projects. */
export const shownCategory = (catalog: ReadCatalog, category: CategoryRecord): Category => {
  const known = catalog.categories().find((one) => one.category.id === category.id);
  return categoryView(category, known?.projectCount ?? 0);
};
