import type { ReadCatalog } from '#catalog/types.ts';
import type { Category } from '#contract/categories.ts';
import type { CategoryRecord } from '#model/category.ts';

/** The category as the API returns it. */
export const categoryView = (category: CategoryRecord, projectCount: number): Category => ({
  id: category.id,
  slug: category.slug,
  name: category.name,
  sphere: category.sphere,
  description: category.description,
  icon: category.icon,
  color: category.color,
  sort_order: category.sort_order,
  project_count: projectCount,
  created_at: category.created_at,
  updated_at: category.updated_at,
});

/** A stored category with the project count of the catalog. */
export const countedCategory = (catalog: ReadCatalog, category: CategoryRecord): Category => {
  const entry = catalog.categories().find((one) => one.category.id === category.id);
  return categoryView(category, entry?.projectCount ?? 0);
};

/** All categories in their order, with the spheres in use. */
export const listCategories = (catalog: ReadCatalog): { data: Category[]; meta: { spheres: string[] } } => {
  const all = catalog.categories();
  return {
    data: all.map(({ category, projectCount }) => categoryView(category, projectCount)),
    meta: { spheres: [...new Set(all.flatMap(({ category }) => category.sphere ?? []))] },
  };
};
